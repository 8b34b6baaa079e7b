/**
 * The maximum total length of all warnings, in Unicode characters. If they are longer, each warning is cut
 * (k8s.io/apiserver, filters/warning.go).
 */
const MAX_TOTAL = 4 * 1024;
/** The length to which each warning is cut if the total is too long. */
const MAX_ITEM = 256;

/** The Warning headers of one answer. Each warning is sent only once. The limits of a real server apply. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text !== '' && isPrintable(text)) this.#texts.add(text);
  }

  get header(): { readonly warning?: string } {
    if (this.#texts.size === 0) return {};
    return { warning: this.#sent().map(headerOf).join(', ') };
  }

  #sent(): readonly string[] {
    const texts = [...this.#texts];
    if (texts.reduce((sum, text) => sum + lengthOf(text), 0) <= MAX_TOTAL) return texts;
    let written = 0;
    return texts.flatMap((text) => {
      if (written >= MAX_TOTAL) return [];
      const cut = [...text].slice(0, MAX_ITEM).join('');
      written += lengthOf(cut);
      return [cut];
    });
  }
}

function lengthOf(text: string): number {
  return [...text].length;
}

/**
 * False for a warning with control characters, for which Go writes no header (k8s.io/apimachinery,
 * NewWarningHeader).
 */
function isPrintable(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** The value of a Warning header: `299 - "text"`, encoded in UTF-8. */
function headerOf(text: string): string {
  const quoted = text.replace(/[\\"]/g, '\\$&');
  return Buffer.from(`299 - "${quoted}"`).toString('latin1');
}
