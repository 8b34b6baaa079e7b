/**
 * The characters of generated names. Vowels, and digits that look like letters, are missing, so that names do
 * not spell words.
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** The maximum length of the prefix of a generated name, because a DNS label has at most 63 characters. */
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** A name made of `generateName` and five random characters. */
export function generateName(base: string, random: () => number = Math.random): string {
  return base.slice(0, MAX_BASE_LENGTH) + randomSuffix(random);
}

/** Five random characters, which are most likely unique. */
export function randomSuffix(random: () => number = Math.random): string {
  let suffix = '';
  for (let at = 0; at < SUFFIX_LENGTH; at++) {
    suffix += ALPHABET[Math.floor(random() * ALPHABET.length)];
  }
  return suffix;
}
