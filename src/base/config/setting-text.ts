const LONGEST_SHOWN = 60;

/** Describes a refused value in a message. Hides secrets and addresses with a user or query. */
export const shownText = (isSecret: boolean, text: string): string => {
  if (isSecret || /[@?]/.test(text)) return 'its value is not shown here';
  return `it is "${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text}"`;
};

/** A field of the configuration file as environment text. */
export const asText = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
