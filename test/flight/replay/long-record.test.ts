import { expect, it } from 'vitest';
import { replay } from '../../../operator/flight/replay/replay.ts';
import { copying } from './copy-incident.ts';
import { configMap, MadeRecord, PATH } from './made-record.ts';

const EVENTS = 5_000;
const KEYS = 250;
/** Ten minutes. */
const SPAN_MS = 600_000;

/** Changes of ConfigMaps, round and round, each with the write of its copy and the event of that write. */
function busyRecord(): MadeRecord {
  let version = 10;
  const next = (): string => String(++version);
  const of = (key: number): string => `web-${key}`;
  const objects = Array.from({ length: KEYS }, (_, key) => [
    configMap(of(key), '5', { a: '0' }),
    configMap(`${of(key)}-copy`, '6', { a: '0' }),
  ]).flat();
  const made = new MadeRecord({ objects });
  const changes = EVENTS / 2;
  for (let change = 0; change < changes; change++) {
    const at = 1_000 + Math.floor((change * (SPAN_MS - 1_000)) / changes);
    const name = of(change % KEYS);
    const data = { a: String(change) };
    made.event(at, 'MODIFIED', configMap(name, next(), data));
    const answer = configMap(`${name}-copy`, next(), data);
    const path = `${PATH}/${name}-copy?fieldManager=copy&fieldValidation=Warn`;
    made.attempt(at, `demo/${name}`, [
      { method: 'PATCH', path, status: 200, body: { data }, answer },
    ]);
    made.event(at + 3, 'MODIFIED', answer);
  }
  return made;
}

it('a record of ten minutes with five thousand events is replayed without a difference', async () => {
  const record = busyRecord().record(SPAN_MS);

  const found = await replay({ record, controllers: [copying()] });

  expect(found).toMatchObject({ differences: [], attempts: EVENTS / 2, writes: EVENTS / 2 });
});
