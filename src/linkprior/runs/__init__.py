"""Run folders: everything one `linkprior predict -o run/` used and found, and the way back."""
