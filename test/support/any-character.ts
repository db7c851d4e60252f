import fc from 'fast-check';

/** Any character, unassigned ones too; fast-check's own `binary` of it takes a second to set up. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff - 0x8_00 })
  .map((n) => String.fromCodePoint(n < 0xd8_00 ? n : n + 0x8_00)); // halves of a pair are not characters
