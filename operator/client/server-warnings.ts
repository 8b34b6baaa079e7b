/** A `Warning` header of the API server: 299, the one code that it sends. */
const WARNING = /(?:^|,)\s*(\d{3}) +(\S+) +"((?:[^"\\]|\\.)*)"/g;

/** Distinct texts that are remembered; the server says the same few again and again. */
const MAX_TEXTS = 1_000;

/**
 * The texts of the `Warning` headers of an answer, as RFC 7234 quotes them. Only those of code 299:
 * others are a cache's on the way.
 */
export function warningTexts(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  return Array.from(header.matchAll(WARNING))
    .filter(([, code]) => code === '299')
    .map(([, , , quoted = '']) => quoted.replace(/\\(.)/g, '$1'))
    .filter((text) => text !== '');
}

/** `listener`, called for a text the first time only; the last 1,000 texts are remembered. */
export function oncePerText(listener: (text: string) => void): (text: string) => void {
  const known = new Set<string>();
  return (text) => {
    const isNew = !known.delete(text);
    known.add(text);
    const [oldest] = known;
    if (known.size > MAX_TEXTS && oldest !== undefined) known.delete(oldest);
    if (isNew) listener(text);
  };
}
