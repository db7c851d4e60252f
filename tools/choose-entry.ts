/** Something that `npm run COMMAND NAME` runs. */
interface Entry {
  /** One line for the list. */
  readonly about: string;
}

/**
 * Finds the entry that a command line names. Ends the process where it names none: with the list of
 * entries, and with exit code 1 if there is no entry of that name.
 */
export const chooseEntry = <E extends Entry>(
  command: string,
  entries: Readonly<Record<string, E>>,
  name: string | undefined,
): E => {
  const entry = name === undefined ? undefined : entries[name];
  if (entry !== undefined) return entry;
  const width = Math.max(...Object.keys(entries).map((each) => each.length));
  const list = Object.entries(entries).map(
    ([each, { about }]) => `  ${each.padEnd(width)}  ${about}`,
  );
  const unknown = name === undefined ? '' : `npm run ${command} has no entry "${name}". `;
  const usage = `${unknown}Usage: npm run ${command} NAME [-- OPTIONS]\n\n${list.join('\n')}\n`;
  (name === undefined ? process.stdout : process.stderr).write(usage);
  process.exit(name === undefined ? 0 : 1);
};
