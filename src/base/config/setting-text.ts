const LONGEST_SHOWN = 60;

/** What was got, as a message may show it: no secret, and nothing of an address but a plain one. */
export const shownText = (isSecret: boolean, text: string): string => {
  if (isSecret || /[@?]/.test(text)) return 'what is set is not shown here';
  return `it is "${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text}"`;
};

/** A field of the configuration file as the text it would be in the environment. */
export const asText = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
