/** Something that `npm run COMMAND NAME` runs. */
interface Entry {
  /** One line for the list. */
  readonly about: string;
}

/**
 * Finds the entry that a command line names. Ends the process if it names none or `help`, after
 * the list of entries; with exit code 1 if there is no entry of that name.
 */
export const chooseEntry = <E extends Entry>(
  command: string,
  entries: Readonly<Record<string, E>>,
  name: string | undefined,
): E => {
  const entry = name === undefined || !Object.hasOwn(entries, name) ? undefined : entries[name];
  if (entry !== undefined) return entry;
  const width = Math.max(...Object.keys(entries).map((each) => each.length));
  const list = Object.entries(entries).map(
    ([each, { about }]) => `  ${each.padEnd(width)}  ${about}`,
  );
  const isListed = name === undefined || name === 'help';
  const unknown = isListed ? '' : `npm run ${command} has no entry "${name}". `;
  const usage = `${unknown}Usage: npm run ${command} NAME [-- OPTIONS]\n\n${list.join('\n')}\n`;
  (isListed ? process.stdout : process.stderr).write(usage);
  process.exit(isListed ? 0 : 1);
};
