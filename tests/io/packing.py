"""Archives made in memory."""

import io
import zipfile


def zipped(members, method=zipfile.ZIP_DEFLATED):
    """Return a zip of some members, name → content."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()
