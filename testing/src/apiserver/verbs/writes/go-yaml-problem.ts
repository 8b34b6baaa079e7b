import { messageOf } from 'chancery/internal-objects';

/**
 * The error of the server's YAML library for invalid YAML. The library's scanner counts lines from one, and
 * its parser counts from zero. Neither of them adds a line number to a message about the first line.
 *
 * @param error - the error that this toolkit's YAML reader has thrown for the same text.
 */
export function goYamlProblem(text: string, error: unknown): string {
  const message = messageOf(error);
  const line = Number(/ at line (\d+)/.exec(message)?.[1] ?? 1);
  const scanned = (problem: string): string => (line > 1 ? `line ${line}: ${problem}` : problem);
  const parsed = (problem: string): string => (line > 1 ? `line ${line - 1}: ${problem}` : problem);
  const has = (words: RegExp): boolean => words.test(message);
  if (has(/Tabs are not allowed/)) return scanned(tabProblem(text, line));
  if (has(/Nested mappings are not allowed/)) {
    return scanned('mapping values are not allowed in this context');
  }
  if (has(/Unresolved alias/)) {
    const name = /(?:^|[\s[{,:-])\*([^\s\]},]+)/.exec(text)?.[1] ?? '';
    return `unknown anchor '${name}' referenced`;
  }
  if (has(/Missing closing/)) return scannedAtEnd(text, 'found unexpected end of stream');
  if (has(/Invalid escape sequence/)) return scanned('found unknown escape character');
  if (has(/cannot start with reserved character|Plain value cannot start/)) {
    return scanned('found character that cannot start any token');
  }
  if (has(/same column/)) return parsed('did not find expected key');
  if (has(/directives-end/)) return scanned('could not find expected directive name');
  if (has(/Flow (?:map|sequence)/)) return flowProblem(text, message);
  if (has(/Implicit keys need to be on a single line|Implicit map keys|simple key/)) {
    return scanned("could not find expected ':'");
  }
  return message.replace(/^invalid YAML: /, '');
}

/**
 * The message for a tab. It depends on whether the tab continues a plain scalar or stands where a token
 * begins.
 */
function tabProblem(text: string, line: number): string {
  const before = text
    .split('\n')
    .slice(0, line - 1)
    .findLast((other) => other.trim() !== '');
  const value = before?.trim().replace(/^(?:- )*(?:[^\s:]+:\s+)?/, '') ?? '';
  const isPlain = value !== '' && !/^["'[{|>&*!#]/.test(value) && !value.endsWith(':');
  return isPlain
    ? 'found a tab character that violates indentation'
    : 'found character that cannot start any token';
}

function scannedAtEnd(text: string, problem: string): string {
  const line = text.split('\n').length;
  return line > 1 ? `line ${line}: ${problem}` : problem;
}

/**
 * The message for a flow mapping or sequence that is not complete. It contains the last line of the document.
 */
function flowProblem(text: string, message: string): string {
  const line = Math.max(1, text.replace(/\n$/, '').split('\n').length);
  if (/[[{:,]\s*$/.test(text)) return `line ${line}: did not find expected node content`;
  const close = /Flow map/.test(message) ? '}' : ']';
  return `line ${line}: did not find expected ',' or '${close}'`;
}
