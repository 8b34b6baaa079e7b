import type { ExpositionFormat } from './exposition.ts';

/**
 * The format for an `Accept` header: OpenMetrics only for who names it, in a version that we speak,
 * and wants it at least as much as plain text. Everybody else gets plain text, which all can read.
 */
export function preferredFormat(accept: string | undefined): ExpositionFormat {
  let open = 0;
  let plain = 0;
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const read = (name: string): string | undefined =>
      parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    const quality = weight(read('q'));
    const version = read('version');
    if (type === 'application/openmetrics-text' && (version ?? '1.0.0') === '1.0.0') {
      open = Math.max(open, quality);
    } else if (type === 'text/plain' && (version ?? '0.0.4') === '0.0.4') {
      plain = Math.max(plain, quality);
    }
  }
  return open > 0 && open >= plain ? 'openmetrics' : 'text';
}

function weight(text: string | undefined): number {
  if (text === undefined) return 1;
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
