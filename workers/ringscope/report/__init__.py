"""Reports: one HTML file about what was measured, with all rows in it, and its verification."""
