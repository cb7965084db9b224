-- What recall looks for in a text. Stems are those of the text's language, which is known by the function words that it has; in scripts
-- without spaces every pair of neighbouring signs is a word; "ABC-123" is also the one word "abc123".
CREATE FUNCTION slowwave.recall_languages() RETURNS regconfig[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY['english', 'spanish', 'german', 'french', 'italian', 'portuguese', 'dutch', 'swedish', 'turkish']::regconfig[]
$$;
--> statement-breakpoint
CREATE FUNCTION slowwave.recall_language(given text) RETURNS regconfig
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  -- Enough to know a language by.
  sample text := left(given, 1000);
  words integer;
  dropped integer;
  -- One function word alone may be a name or a word of another language.
  most integer := 1;
  best regconfig := 'english';
  candidate regconfig;
BEGIN
  IF octet_length(sample) <> length(sample) THEN
    IF sample ~ '[\u0400-\u04ff]' THEN
      RETURN 'russian';
    ELSIF sample ~ '[\u0370-\u03ff]' THEN
      RETURN 'greek';
    ELSIF sample ~ '[\u0600-\u06ff]' THEN
      RETURN 'arabic';
    END IF;
  END IF;
  words := length(to_tsvector('simple', sample));
  FOREACH candidate IN ARRAY slowwave.recall_languages() LOOP
    dropped := words - length(to_tsvector(candidate, sample));
    -- English is the first, and not asked about further where one word in five belongs to it.
    IF candidate = 'english'::regconfig AND dropped * 5 >= words THEN
      RETURN candidate;
    END IF;
    IF dropped > most THEN
      most := dropped;
      best := candidate;
    END IF;
  END LOOP;
  RETURN best;
END
$$;
--> statement-breakpoint
CREATE FUNCTION slowwave.recall_text(given text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  unspaced constant text := '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff';
  plain text := given;
  pairs text := '';
BEGIN
  IF octet_length(plain) <> length(plain) THEN
    -- Latin letters without accents, which many leave out when they ask.
    plain := normalize(regexp_replace(normalize(plain, NFKD), '([A-Za-z])[\u0300-\u036f]+', '\1', 'g'), NFC);
    IF plain ~ ('[' || unspaced || ']') THEN
      -- Pairs from every odd place of a run, then those from every even place. A sign alone is a word where it is a whole run.
      SELECT string_agg(
        CASE WHEN length(run) = 1 THEN run
          ELSE regexp_replace(run, '(..)', '\1 ', 'g') || ' ' || regexp_replace(substr(run, 2), '(..)', '\1 ', 'g') END, ' ')
      INTO pairs
      FROM (SELECT (regexp_matches(plain, '[' || unspaced || ']+', 'g'))[1] AS run) AS runs;
      pairs := regexp_replace(pairs, '(\S\S) \S(?= |$)', '\1', 'g');
      plain := regexp_replace(plain, '[' || unspaced || ']+', ' ', 'g');
    END IF;
  END IF;
  IF strpos(plain, '-') > 0 THEN
    plain := regexp_replace(plain, '\m([A-Za-z]{1,16})-([0-9]{1,16})\M', '\1\2 \1 \2', 'g');
    -- Otherwise "-05" in a date or a number of a telephone would be a negative number.
    plain := regexp_replace(plain, '([[:alnum:]])-([0-9])', '\1 \2', 'g');
  END IF;
  RETURN plain || ' ' || pairs;
END
$$;
--> statement-breakpoint
CREATE FUNCTION slowwave.recall_words(given text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  plain text;
BEGIN
  IF given = '' THEN
    RETURN ''::tsvector;
  END IF;
  -- A tsvector holds a megabyte, and in scripts without spaces every sign begins a word: what stands behind is found by vector alone.
  plain := slowwave.recall_text(left(given, 40000));
  RETURN to_tsvector(slowwave.recall_language(plain), plain);
END
$$;
--> statement-breakpoint
-- The words of a question, in its order. A word stands for itself in every language of the list, since a note may be in another one than
-- the question; function words of the question's own language are left out.
CREATE FUNCTION slowwave.recall_terms(question text) RETURNS TABLE (lexemes text[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  plain text := slowwave.recall_text(question);
  own regconfig := slowwave.recall_language(plain);
BEGIN
  RETURN QUERY
    WITH kept AS (
      SELECT place FROM unnest(to_tsvector(own, plain)) AS v, unnest(v.positions) AS place
    ), forms AS (
      SELECT place, v.lexeme
      FROM unnest(slowwave.recall_languages() || own) AS language,
        unnest(to_tsvector(language, plain)) AS v, unnest(v.positions) AS place
    ), words AS (
      SELECT kept.place, array_agg(DISTINCT forms.lexeme ORDER BY forms.lexeme) AS alternatives
      FROM kept JOIN forms USING (place) GROUP BY kept.place
    )
    SELECT alternatives FROM words GROUP BY alternatives ORDER BY min(place);
END
$$;
--> statement-breakpoint
-- The first of the days on which a memory was said: of a derived one that of its oldest source, however many times it was derived.
CREATE FUNCTION slowwave.said_from(owner_tenant text, owner_user text, memory uuid) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE said (id) AS (
    SELECT memory
    UNION
    SELECT r.target_id FROM said JOIN slowwave.relations r
      ON r.tenant = owner_tenant AND r.user_id = owner_user AND r.source_id = said.id AND r.relation_type = 'DERIVES'
  )
  SELECT min(m.document_date) FROM said JOIN slowwave.memories m
    ON m.tenant = owner_tenant AND m.user_id = owner_user AND m.id = said.id
$$;
--> statement-breakpoint
ALTER TABLE "slowwave"."memories" drop column "words";--> statement-breakpoint
ALTER TABLE "slowwave"."memories" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS (setweight(slowwave.recall_words(content), 'A') || setweight(slowwave.recall_words(coalesce(source_chunk, '')), 'C')) STORED;