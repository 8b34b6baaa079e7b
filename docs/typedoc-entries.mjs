/** A plug-in of TypeDoc: an entry has the name by which programs import it, such as `chancery/schema`. */
import { readFileSync } from 'node:fs';
import { Converter } from 'typedoc';

const MANIFESTS = [
  '../package.json',
  '../testing/package.json',
  '../packages/metacontroller/package.json',
];

export function load(app) {
  const names = new Map(MANIFESTS.flatMap(entriesOf));
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const entry of context.project.children ?? []) {
      const name = names.get(entry.name);
      if (name === undefined) throw new Error(`no package.json exports ${entry.name}`);
      entry.name = name;
    }
  });
}

/** The file of each entry without its extension, from the root of the repository, and the entry's name. */
function entriesOf(path) {
  const { name, exports } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  const folder = path.slice('../'.length, -'package.json'.length);
  return Object.entries(exports).flatMap(([entry, { types }]) =>
    types === undefined
      ? []
      : [
          [
            `${folder}${types.slice('./'.length, -'.d.ts'.length)}`.replace(/\/index$/, ''),
            `${name}${entry.slice(1)}`,
          ],
        ],
  );
}
