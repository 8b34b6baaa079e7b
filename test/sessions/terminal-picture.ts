/** A picture of a terminal: an SVG with its lines as text, on a dark ground that fits light and dark pages. */

const COLUMNS = 120;
const FONT_SIZE = 13;
/** Of one letter: fonts of one width are 0.6 wide, or nearly. */
const LETTER = FONT_SIZE * 0.6;
const LINE = 19;
const MARGIN = 16;
/** The bar with the name of the window. */
const BAR = 34;

const GROUND = '#1b1f27';
const TEXT = '#dfe3ea';
const TYPED = '#8fd18f';

export interface TerminalPicture {
  /** What people read who do not see it. */
  readonly title: string;
  /** What somebody typed. */
  readonly command: string;
  /** What the terminal showed then. */
  readonly lines: readonly string[];
}

/** Lines that are longer than the terminal is wide go on in the next row, as in a terminal. */
export function drawTerminal({ title, command, lines }: TerminalPicture): string {
  const all = [`$ ${command}`, ...lines].map((line) => rowsOf(line));
  const width = Math.ceil(2 * MARGIN + COLUMNS * LETTER);
  const height = BAR + all.flat().length * LINE + MARGIN;
  let row = 0;
  const texts = all.map((rows, at) => {
    const spans = rows.map((text) => {
      const y = BAR + LINE * ++row;
      // Without a length of its own, a row would be as wide as the reader's font makes it.
      const length = (text.length * LETTER).toFixed(1);
      return `<tspan x="${MARGIN}" y="${y}" textLength="${length}">${escaped(text)}</tspan>`;
    });
    return `<text xml:space="preserve"${at === 0 ? ` fill="${TYPED}"` : ''}>${spans.join('')}</text>`;
  });
  const dots = ['#ec6a5e', '#f4bf4f', '#61c554'].map(
    (color, at) => `<circle cx="${MARGIN + 6 + 20 * at}" cy="${BAR / 2}" r="6" fill="${color}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${TEXT}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** The lines of such a picture, without what was typed. */
export function linesOfPicture(svg: string): readonly string[] {
  const [, ...lines] = [...svg.matchAll(/^<text.*<\/text>$/gm)].map(([text]) =>
    unescaped(text.replaceAll(/<[^>]*>/g, '')),
  );
  return lines;
}

function rowsOf(line: string): readonly string[] {
  const rows = line.match(new RegExp(`.{1,${COLUMNS}}`, 'gu'));
  return rows ?? [''];
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (letter) => ENTITIES[letter as keyof typeof ENTITIES]);
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
