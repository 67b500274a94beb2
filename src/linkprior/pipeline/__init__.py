"""From files to results: one prediction job, and the folder it leaves."""
