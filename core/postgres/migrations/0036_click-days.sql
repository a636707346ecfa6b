CREATE TABLE "click_day" (
	"link_id" uuid NOT NULL,
	"day" date NOT NULL,
	"dimension" text NOT NULL,
	"value" text NOT NULL,
	"clicks" integer NOT NULL,
	"people" integer DEFAULT 0 NOT NULL,
	"again" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "click_day_link_id_dimension_day_value_pk" PRIMARY KEY("link_id","dimension","day","value")
);
--> statement-breakpoint
CREATE TABLE "link_click" (LIKE "click") PARTITION BY RANGE ("at");
--> statement-breakpoint
-- The clicks stay where they are, and processes of the earlier version go on reading and writing them.
ALTER TABLE "link_click" ATTACH PARTITION "click" DEFAULT;
--> statement-breakpoint
CREATE TABLE "click_visitor" (
	"link_id" uuid NOT NULL,
	"day" date NOT NULL,
	"visitor" uuid NOT NULL,
	CONSTRAINT "click_visitor_link_id_visitor_day_pk" PRIMARY KEY("link_id","visitor","day")
);
--> statement-breakpoint
CREATE INDEX "link_click_of_link" ON "link_click" USING btree ("link_id","class","scanned","at");--> statement-breakpoint
CREATE INDEX "link_click_age" ON "link_click" USING brin ("at");--> statement-breakpoint
CREATE INDEX "click_visitor_day" ON "click_visitor" USING btree ("day");
--> statement-breakpoint
-- Counts the inserted clicks under their link and under its parent. One transaction at a time, so that two do not wait for
-- each other's rows.
CREATE FUNCTION count_clicks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('count clicks', 0));

  INSERT INTO click_day (link_id, day, dimension, value, clicks)
  WITH scoped AS (
    SELECT under.id, clicked.link_id, (clicked.at AT TIME ZONE 'UTC' + interval '4 hours')::date AS day,
      coalesce(clicked.referrer, '') AS referrer, coalesce(clicked.country, '') AS country,
      coalesce(clicked.device, '') AS device, coalesce(clicked.browser, '') AS browser,
      CASE WHEN clicked.scanned AND clicked.class = 'human' THEN 'scan' ELSE clicked.class END AS class,
      clicked.class = 'human' AS is_human
    FROM clicked LEFT JOIN link ON link.id = clicked.link_id
    CROSS JOIN LATERAL (
      SELECT clicked.link_id AS id UNION ALL SELECT link.parent_id WHERE link.parent_id IS NOT NULL
    ) AS under
  ), counted AS (
    SELECT id, day, grouping(referrer, country, device, browser, link_id, class) AS of,
      coalesce(referrer, country, device, browser, link_id::text, class, '') AS value,
      count(*) FILTER (WHERE is_human) AS by_people, count(*) AS by_all
    FROM scoped
    GROUP BY GROUPING SETS (
      (id, day), (id, day, referrer), (id, day, country), (id, day, device), (id, day, browser), (id, day, link_id),
      (id, day, class))
  ), totals AS (
    SELECT id, class, count(*) AS n FROM scoped WHERE id = link_id GROUP BY id, class
  )
  SELECT id, day, CASE of WHEN 63 THEN 'day' WHEN 31 THEN 'referrer' WHEN 47 THEN 'country' WHEN 55 THEN 'device'
      WHEN 59 THEN 'browser' WHEN 61 THEN 'link' ELSE 'class' END, value,
    CASE of WHEN 62 THEN by_all ELSE by_people END
  FROM counted WHERE by_people > 0 OR of = 62
  UNION ALL SELECT id, '-infinity', 'total', class, n FROM totals
  ON CONFLICT (link_id, dimension, day, value) DO UPDATE SET clicks = click_day.clicks + excluded.clicks;

  WITH visited AS (
    SELECT DISTINCT under.id AS link_id, (clicked.at AT TIME ZONE 'UTC' + interval '4 hours')::date AS day, clicked.visitor
    FROM clicked LEFT JOIN link ON link.id = clicked.link_id
    CROSS JOIN LATERAL (
      SELECT clicked.link_id AS id UNION ALL SELECT link.parent_id WHERE link.parent_id IS NOT NULL
    ) AS under
    WHERE clicked.class = 'human' AND clicked.visitor IS NOT NULL
  ), fresh AS (
    INSERT INTO click_visitor (link_id, day, visitor) SELECT link_id, day, visitor FROM visited
    ON CONFLICT DO NOTHING RETURNING link_id, day, visitor
  ), returned AS (
    SELECT fresh.link_id, fresh.day FROM fresh JOIN (
        SELECT link_id, day, visitor FROM click_visitor UNION ALL SELECT link_id, day, visitor FROM fresh
      ) AS before ON before.link_id = fresh.link_id AND before.visitor = fresh.visitor AND before.day = fresh.day - 1
    UNION ALL
    -- Clicks that were counted late.
    SELECT after.link_id, after.day FROM fresh
      JOIN click_visitor AS after
        ON after.link_id = fresh.link_id AND after.visitor = fresh.visitor AND after.day = fresh.day + 1
  ), changed AS (
    SELECT link_id, day, 1 AS people, 0 AS again FROM fresh UNION ALL SELECT link_id, day, 0, 1 FROM returned
  )
  INSERT INTO click_day (link_id, day, dimension, value, clicks, people, again)
  SELECT link_id, day, 'day', '', 0, sum(people), sum(again) FROM changed GROUP BY link_id, day
  ON CONFLICT (link_id, dimension, day, value) DO UPDATE
    SET people = click_day.people + excluded.people, again = click_day.again + excluded.again;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- The partition of a month, unless the default one has clicks of it. @returns whether it was made
CREATE FUNCTION make_click_month(month date) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  name text := 'click_' || to_char(month, 'YYYY_MM');
  starts timestamptz := date_trunc('month', month::timestamp) AT TIME ZONE 'UTC';
  ends timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('click months', 0));
  IF to_regclass('public.' || name) IS NOT NULL
    OR EXISTS (SELECT FROM click WHERE at >= starts AND at < ends) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE public.%I PARTITION OF public.link_click FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
  RETURN true;
END
$$;
--> statement-breakpoint
CREATE TRIGGER clicks_counted AFTER INSERT ON "link_click"
  REFERENCING NEW TABLE AS clicked FOR EACH STATEMENT EXECUTE FUNCTION count_clicks();
--> statement-breakpoint
-- For processes of the earlier version; an insert into "link_click" does not fire it.
CREATE TRIGGER clicks_counted AFTER INSERT ON "click"
  REFERENCING NEW TABLE AS clicked FOR EACH STATEMENT EXECUTE FUNCTION count_clicks();
--> statement-breakpoint
-- Counts the stored clicks.
CREATE TEMPORARY TABLE "stored_click" (LIKE "click") ON COMMIT DROP;
--> statement-breakpoint
CREATE TRIGGER clicks_counted AFTER INSERT ON "stored_click"
  REFERENCING NEW TABLE AS clicked FOR EACH STATEMENT EXECUTE FUNCTION count_clicks();
--> statement-breakpoint
INSERT INTO "stored_click" SELECT * FROM "click";
