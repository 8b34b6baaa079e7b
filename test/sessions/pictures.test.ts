/** How a session becomes a picture. */
import { expect, test } from 'vitest';
import { masked } from './masks.ts';
import { drawTerminal, linesOfPicture } from './terminal-picture.ts';

const picture = (lines: readonly string[]): string =>
  drawTerminal({ title: 'A & B', command: 'run <this>', lines });

test('a picture has all lines of its session, including empty, indented and long lines', () => {
  const lines = ['one', '', '   <two> & "three"', `${'wide '.repeat(70)}end`, '&lt;'];

  expect(linesOfPicture(picture(lines))).toEqual(lines);
});

test('a line that is wider than the terminal continues in the next row, and the picture is higher by that row', () => {
  const heightOf = (svg: string): number => Number(/ height="(\d+)"/.exec(svg)?.[1]);
  const short = picture(['x'.repeat(120)]);
  const long = picture(['x'.repeat(121)]);

  expect(long.match(/<tspan /g)).toHaveLength(3);
  expect(heightOf(long) - heightOf(short)).toBe(19);
});

test('a picture has a title for screen readers, and the command that was typed', () => {
  const svg = picture([]);

  expect(svg).toContain('<title>A &amp; B</title>');
  expect(svg).toContain('$ run &lt;this&gt;');
});

test('masked() removes times, and replaces equal ports, processes and Pods by equal names', () => {
  const lines = [
    '  0.2 s  API server  at http://127.0.0.1:37901',
    '  3.5 s  operator    is ready (pid 10790): http://127.0.0.1:37901',
    ' 11.1 s  ambassador  kubectl proxy v1.32.4-dispatcher is at http://127.0.0.1:41053; it lets',
    '  5.0 s  cluster     Pod webapp-5f6d7-gdmq2 is ready',
    '  6.9 s  cluster     Pod webapp-66fd-vv6vl is ready',
    '14:25:38.345 info  source is healthy resourceVersion=165 after 2.0 s  of work',
  ];

  expect(masked(lines)).toEqual([
    'API server  at http://127.0.0.1:40001',
    'operator    is ready (pid 4201): http://127.0.0.1:40001',
    'ambassador  kubectl proxy v1.x.y is at http://127.0.0.1:40002; it lets',
    'cluster     Pod webapp-5f6d7c467-xxxxx is ready',
    'cluster     Pod webapp-66fd76c856-xxxxx is ready',
    'info  source is healthy resourceVersion=1 after 2.0 s  of work',
  ]);
});

test('masked() removes the warning about a slow machine, and no other warning', () => {
  const warnings = ['warn  event loop was blocked, leases are late', 'warn  source is failing'];

  expect(masked(warnings)).toEqual(['warn  source is failing']);
});
