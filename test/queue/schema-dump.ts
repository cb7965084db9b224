/** All rows of all tables of a schema, as text. */
export async function dumpSchema(
  schema: string,
  query: (text: string) => Promise<{ text: string }[]>,
): Promise<string> {
  const tables = await query(
    `SELECT format('%I.%I', table_schema, table_name) AS text FROM information_schema.tables
      WHERE table_schema = '${schema}' AND table_type = 'BASE TABLE'`,
  );
  const parts: string[] = [];
  for (const { text: table } of tables) {
    const rows = await query(`SELECT t::text AS text FROM ${table} t`);
    parts.push(table, ...rows.map((row) => row.text));
  }
  return parts.join('\n');
}
