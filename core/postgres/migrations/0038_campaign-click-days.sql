-- Counts days, months and visitors of campaigns and projects only: no other link has analytics, and a click on one of many
-- links wrote fifteen rows that nothing read. The totals of each link are counted as before.
CREATE OR REPLACE FUNCTION count_clicks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('count clicks', 0));

  INSERT INTO click_day (link_id, day, dimension, value, clicks)
  WITH scoped AS (
    SELECT under.id, clicked.link_id, (clicked.at AT TIME ZONE 'UTC' + interval '4 hours')::date AS day,
      coalesce(clicked.referrer, '') AS referrer, coalesce(clicked.country, '') AS country,
      coalesce(clicked.device, '') AS device, coalesce(clicked.browser, '') AS browser,
      CASE WHEN clicked.scanned AND clicked.class = 'human' THEN 'scan' ELSE clicked.class END AS class,
      clicked.class = 'human' AS is_human
    FROM clicked JOIN link ON link.id = clicked.link_id
    CROSS JOIN LATERAL (
      SELECT link.id WHERE link.kind IN ('campaign', 'project')
      UNION ALL SELECT link.parent_id WHERE link.parent_id IS NOT NULL
    ) AS under
  ), counted AS (
    SELECT id, day, grouping(referrer, country, device, browser, link_id, class) AS of,
      coalesce(referrer, country, device, browser, link_id::text, class, '') AS value,
      count(*) FILTER (WHERE is_human) AS by_people, count(*) AS by_all
    FROM scoped
    GROUP BY GROUPING SETS (
      (id, day), (id, day, referrer), (id, day, country), (id, day, device), (id, day, browser), (id, day, link_id),
      (id, day, class))
  ), daily AS (
    SELECT id, day, CASE of WHEN 63 THEN 'day' WHEN 31 THEN 'referrer' WHEN 47 THEN 'country' WHEN 55 THEN 'device'
        WHEN 59 THEN 'browser' WHEN 61 THEN 'link' ELSE 'class' END AS dimension, value,
      CASE of WHEN 62 THEN by_all ELSE by_people END AS n
    FROM counted WHERE by_people > 0 OR of = 62
  ), totals AS (
    SELECT link_id AS id, CASE WHEN scanned AND class = 'human' THEN 'scan' ELSE class END AS class, count(*) AS n
    FROM clicked GROUP BY 1, 2
  )
  SELECT id, day, dimension, value, n FROM daily
  UNION ALL
  SELECT id, date_trunc('month', day::timestamp)::date, 'month ' || dimension, value, sum(n)
    FROM daily WHERE dimension <> 'day' GROUP BY 1, 2, 3, 4
  UNION ALL SELECT id, '-infinity', 'total', class, n FROM totals
  ON CONFLICT (link_id, dimension, day, value) DO UPDATE SET clicks = click_day.clicks + excluded.clicks;

  WITH visited AS (
    SELECT DISTINCT under.id AS link_id, (clicked.at AT TIME ZONE 'UTC' + interval '4 hours')::date AS day, clicked.visitor
    FROM clicked JOIN link ON link.id = clicked.link_id
    CROSS JOIN LATERAL (
      SELECT link.id WHERE link.kind IN ('campaign', 'project')
      UNION ALL SELECT link.parent_id WHERE link.parent_id IS NOT NULL
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
