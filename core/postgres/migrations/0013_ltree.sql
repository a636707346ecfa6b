-- For the CRM's location tree: ancestors and descendants are one comparison of paths.
CREATE EXTENSION IF NOT EXISTS ltree;
