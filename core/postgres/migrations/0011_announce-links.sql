-- API processes keep links in memory. A link that is changed or deleted is announced on the channel "link" with the key
-- of its slug; new ones once a statement, without a key: what is remembered as unknown may be known now.
CREATE FUNCTION announce_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('link', CASE WHEN TG_OP = 'INSERT' THEN '' ELSE OLD.slug_key END);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER links_announced AFTER INSERT ON "link"
  FOR EACH STATEMENT EXECUTE FUNCTION announce_link();
--> statement-breakpoint
CREATE TRIGGER link_change_announced AFTER UPDATE OR DELETE ON "link"
  FOR EACH ROW EXECUTE FUNCTION announce_link();
