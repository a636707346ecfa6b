-- Searching the names of locations, misspelled ones too.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
