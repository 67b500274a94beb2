"""The local explorer: the page live, with jobs that run next to the server.

`app` answers requests behind `security`; `jobs` holds networks and jobs, and runs one job at a time
in a process of its own. Starlette and uvicorn are imported here alone, and only when it starts.
"""
