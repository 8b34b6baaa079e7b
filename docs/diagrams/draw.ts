/** Pictures of the pages, from texts in the language of Graphviz. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instance } from '@viz-js/viz';

const SOURCES = fileURLToPath(new URL('.', import.meta.url));

const LOOK = {
  graphAttributes: {
    fontname: 'sans-serif',
    fontsize: 13,
    labelloc: 't',
    bgcolor: 'white',
    pad: 0.2,
    nodesep: 0.35,
    ranksep: 0.45,
    style: 'rounded',
    color: '#8b95a5',
  },
  nodeAttributes: {
    fontname: 'sans-serif',
    fontsize: 12,
    shape: 'box',
    margin: '0.25,0.1',
    style: 'rounded,filled',
    fillcolor: '#f4f6fa',
    color: '#3a5ccc',
  },
  edgeAttributes: { fontname: 'sans-serif', fontsize: 11, color: '#5b6472', arrowsize: 0.7 },
};

export interface Picture {
  /** Without extension, such as `pod`. */
  readonly name: string;
  readonly svg: string;
}

/** Every picture, drawn anew. Its title, for people who do not see it, is the label of its source. */
export async function pictures(): Promise<readonly Picture[]> {
  const viz = await instance();
  return globSync('*.dot', { cwd: SOURCES })
    .toSorted()
    .map((file) => {
      const source = readFileSync(`${SOURCES}${file}`, 'utf8');
      const svg = viz.renderString(source, { format: 'svg', ...LOOK });
      return { name: basename(file, '.dot'), svg: svg.slice(svg.indexOf('<svg')) };
    });
}
