"""What is made from the project's metadata: requirements, bill of materials, licences, matrix."""
