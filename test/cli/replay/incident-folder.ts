import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { copyIncident } from '../../flight/replay/copy-incident.ts';
import type { MadeRecord } from '../../flight/replay/made-record.ts';
import { writeRecord } from '../../flight/replay/record-file.ts';
import { folderWith } from '../child.ts';
import type { Collector } from '../collector.ts';

/** `copying` of the incident as a module. */
export const OPERATOR = `import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default controller({
  name: 'copy',
  for: configMaps,
  permissions: [{ resource: configMaps, verbs: ['create', 'patch'] }],
  predicate: ({ metadata }) => !metadata.name.endsWith('copy'),
  async reconcile({ metadata: { name, namespace }, data = {} }, { client, store }) {
    const copy = \`\${name}-copy\`;
    if (store(configMaps).get({ namespace, name: copy }) === undefined) {
      const metadata = { name: copy, namespace: 'demo' };
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    } else {
      await client.patch(configMaps, { name: copy, namespace }, { type: 'merge', body: { data } });
    }
  },
});
`;

export function textOf({ lines }: Collector): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The module in a folder of its own, with a record of two changes. @param recorded - the module that was recorded. */
export function incidentWith(
  module: string,
  recorded = module,
  made: MadeRecord = copyIncident(),
): { readonly record: string; readonly operator: string } {
  const folder = folderWith({ 'operator.ts': module });
  const sha256 = createHash('sha256').update(recorded).digest('hex');
  made.header({ modules: [{ path: '/app/operator.ts', sha256 }] });
  const record = writeRecord(join(folder, 'flight.jsonl.gz'), made.record(310_000));
  return { record, operator: join(folder, 'operator.ts') };
}
