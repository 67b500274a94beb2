"""One reader per format. A reader fills an `EdgeCollector` from a `Source` and says what it took
the file for; `io/formats.py` lists them.
"""
