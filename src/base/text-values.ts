// Parsers of settings and options, so that both have the same error messages.

/** A value, or the text after "must be" in an error. */
export type Parsed<T> = { readonly value: T } | { readonly expected: string };
export type JsonSchema = Readonly<Record<string, unknown>>;
export type TextReader<T> = ((text: string) => Parsed<T>) & {
  /** JSON Schema of the value in trendlake.config.json; any text if missing. */
  readonly schema?: JsonSchema;
};

export const withSchema = <T>(
  schema: JsonSchema,
  read: (text: string) => Parsed<T>,
): TextReader<T> => Object.assign((text: string) => read(text), { schema });

export const expected = (what: string): Parsed<never> => ({ expected: what });

export const orExpected = <T>(value: T | undefined, what: string): Parsed<T> =>
  value === undefined ? expected(what) : { value };

/** Reads whole numbers. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER): TextReader<number> =>
  withSchema<number>({ type: 'integer', minimum: min, maximum: max }, (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text.trim()) && value >= min && value <= max) return { value };
    const to = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
    return expected(`a whole number from ${min}${to}`);
  });

/** Reads numbers above 0, such as 12.50. */
export const positiveNumber =
  (max: number): TextReader<number> =>
  (text) => {
    const value = Number(text);
    return text.trim() !== '' && value > 0 && value <= max
      ? { value }
      : expected(`a number above 0, at most ${max}`);
  };

export const oneOf = <T extends string>(names: readonly T[]): TextReader<T> =>
  withSchema<T>({ enum: names }, (text) => {
    const value = names.find((name) => name === text);
    return value === undefined ? expected(`one of ${names.join(', ')}`) : { value };
  });

/** Reads `true` and `false`. */
export const trueOrFalse: TextReader<boolean> = withSchema<boolean>({ type: 'boolean' }, (text) =>
  text === 'true' || text === 'false' ? { value: text === 'true' } : expected('true or false'),
);

/** Reads a comma-separated list of names, without duplicates. */
export const listOf = <T extends string>(names: readonly T[]): TextReader<T[]> =>
  withSchema<T[]>(
    { type: 'array', items: { enum: names }, minItems: 1, uniqueItems: true },
    (text) => {
      const written = text.split(',').map((name) => name.trim());
      const given = new Set(written.filter((name) => name !== ''));
      const value = [...given].flatMap((name) => names.find((known) => known === name) ?? []);
      return value.length > 0 && value.length === given.size
        ? { value }
        : expected(`a comma list of ${names.join(', ')}`);
    },
  );
