import { recordedCluster } from '@chancery/testing';
import { describe, expect, it } from 'vitest';
import { recordedError } from '../../../operator/flight/recording-transport.ts';
import { replay } from '../../../operator/flight/replay/replay.ts';
import { copyIncident, copying } from './copy-incident.ts';
import { configMap, MadeRecord, PATH } from './made-record.ts';

describe('replaying a record', () => {
  it('a replay of the same code makes the recorded writes, without real delays', async () => {
    const found = await replay({
      record: copyIncident().record(310_000),
      controllers: [copying()],
    });

    expect(found.differences).toEqual([]);
    expect(found).toMatchObject({ attempts: 2, writes: 2, endedAt: 310_000 });
  });

  it('a replay reports the first write that differs', async () => {
    const found = await replay({
      record: copyIncident().record(310_000),
      controllers: [copying('-2-copy')],
    });

    expect(found.differences).toMatchObject([
      {
        ...{ at: 2_001, controller: 'copy', key: 'demo/web', attempt: 1, kind: 'write' },
        recorded: `POST ${PATH} of web-copy`,
        now: `POST ${PATH} of web-2-copy`,
        details: ['metadata.name was "web-copy", and is "web-2-copy"'],
      },
    ]);
  });

  it('with `continues` a replay goes on after a difference, with the cluster in the recorded state', async () => {
    const found = await replay({
      record: copyIncident().record(310_000),
      controllers: [copying('-2-copy')],
      continues: true,
      startCluster: recordedCluster,
    });

    expect(found.differing).toBe(1);
    const copies = found.objects.list('/api/v1/configmaps', 'demo');
    const data = copies.map((each) => [each.metadata.name, (each as { data?: object }).data]);
    expect(Object.fromEntries(data)).toEqual({ web: { a: '3' }, 'web-2-copy': { a: '3' } });
  });

  it('a replay recognises a recorded failure whose error has no code', async () => {
    const record = new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] })
      .event(2_000, 'MODIFIED', configMap('web', '11', { a: '2' }))
      .attempt(2_001, 'demo/web', [], {
        result: 'panic',
        error: recordedError(new RangeError('out of range')),
      })
      .record();
    const failing = {
      ...copying(),
      reconcile: () => {
        throw new RangeError('out of range');
      },
    };

    const { attempts, differences } = await replay({ record, controllers: [failing] });

    expect(differences).toEqual([]);
    expect(attempts).toBe(1);
  });
});
