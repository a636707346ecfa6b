-- Locations whose names are spelled somewhat like a text: of those with others in them, or of those without. The
-- threshold (pg_trgm's own is 0.6) is set for this function only: `shrajah` for `Sharjah` is at 0.33.
CREATE FUNCTION locations_spelled_like(sought text, large boolean) RETURNS TABLE (location_id integer, alike real)
LANGUAGE sql STABLE PARALLEL SAFE SET pg_trgm.word_similarity_threshold = 0.3 AS $$
  SELECT id, word_similarity(sought, sought_name) FROM portal_location
  WHERE large AND sought <% sought_name AND places_below > 0 AND gone_at IS NULL
  UNION ALL
  SELECT id, word_similarity(sought, sought_name) FROM portal_location
  WHERE NOT large AND sought <% sought_name AND places_below = 0 AND gone_at IS NULL
$$;
--> statement-breakpoint
CREATE INDEX portal_location_sought_large ON portal_location USING gin (sought_name gin_trgm_ops) WHERE places_below > 0;
