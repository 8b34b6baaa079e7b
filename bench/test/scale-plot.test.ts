import { expect, test } from 'vitest';
import { escaped, type Plot, renderPlot } from '../scale/plot.ts';

const plot: Plot = {
  title: 'Memory & <objects>',
  description: 'What "objects" cost',
  xLabel: 'objects',
  yLabel: 'kB for each',
  curves: [
    { name: 'Pod', points: [{ x: 10, y: 5 }] },
    { name: 'ConfigMap', points: [{ x: 0, y: 0 }, { x: 10, y: 10 }] }, // biome-ignore format: points
  ],
};

const attributes = (svg: string, of: RegExp): readonly string[] =>
  [...svg.matchAll(of)].map(([, value = '']) => value);

test('a plot has a title and a description for screen readers', () => {
  const svg = renderPlot(plot);

  expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc"/);
  expect(svg).toContain('<title id="title">Memory &amp; &lt;objects&gt;</title>');
  expect(svg).toContain('<desc id="desc">What &quot;objects&quot; cost</desc>');
});

test('a plot contains its title and the names of its axes and curves', () => {
  const texts = attributes(renderPlot(plot), /<text[^>]*>([^<]*)<\/text>/g);

  expect(texts).toContain('objects');
  expect(texts).toContain('kB for each');
  expect(texts).toContain('Pod');
  expect(texts).toContain('ConfigMap');
  expect(texts).toContain('Memory &amp; &lt;objects&gt;');
});

test('the points of a curve are sorted by x, and scaled to the whole plot area', () => {
  const curves = [{ name: 'a', points: [{ x: 10, y: 10 }, { x: 0, y: 0 }, { x: 5, y: 10 }] }]; // biome-ignore format: points

  expect(renderPlot({ ...plot, curves })).toContain('points="76,340 386,90 696,90"');
});

test('a logarithmic x axis has equal distances for equal ratios, and is labelled as logarithmic', () => {
  const points = [1, 10, 100].map((x) => ({ x, y: 1 }));

  const svg = renderPlot({ ...plot, logX: true, curves: [{ name: 'a', points }] });

  expect(svg).toContain('points="76,90 386,90 696,90"');
  expect(svg).toContain('>objects (logarithmic)<');
});

test('curves differ in colour and in their dashes', () => {
  const curves = Array.from({ length: 4 }, (_, index) => ({
    name: `c${index}`,
    points: [{ x: 1, y: index }],
  }));

  const lines = attributes(renderPlot({ ...plot, curves }), /<polyline [^>]*(stroke=.*)\/>/g);

  expect(new Set(lines).size).toBe(4);
  expect(new Set(lines.map((line) => line.replace(/stroke="[^"]+"/, ''))).size).toBe(4);
});

test('a plot has a white background, so that it suits pages of any colour', () => {
  expect(renderPlot(plot)).toMatch(/<rect [^>]*width="719" height="399"[^>]*fill="#ffffff"/);
});

test.each([
  [{ x: 1, y: Number.NaN }, false],
  [{ x: Number.POSITIVE_INFINITY, y: 1 }, false],
  [{ x: 0, y: 1 }, true],
])('a point that the axes cannot represent is refused: %j', (point, logX) => {
  const curves = [{ name: 'a', points: [point] }];

  expect(() => renderPlot({ ...plot, logX, curves })).toThrow(RangeError);
});

test('characters with a meaning in XML are escaped', () => {
  expect(escaped('a<b>&"c"')).toBe('a&lt;b&gt;&amp;&quot;c&quot;');
});
