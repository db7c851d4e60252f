/**
 * The ClickHouse engine (chdb), which reads Delta Lake tables through delta-kernel: for each message,
 * a query, its rows or its error. Its package stands in this folder alone and is installed by
 * `npm run prove tables`: it takes 180 MB to fetch.
 */
interface Engine {
  query(sql: string, format: string): string;
}

const name: string = 'chdb';
const { query } = (await import(name)) as Engine;

process.on('message', (sql: string) => {
  try {
    const lines = query(sql, 'JSONCompactEachRow').split('\n');
    const rows = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
    process.send?.({ rows });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});
