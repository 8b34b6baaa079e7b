/** Records of a process that leads only for a part of the time. */
import { source } from 'chancery';
import { services } from 'chancery/kubernetes';
import { describe, expect, it } from 'vitest';
import { replay } from '../../../operator/flight/replay/replay.ts';
import { copyIncident, copying } from './copy-incident.ts';
import { CONFIG_MAPS, configMap, MadeRecord, PATH } from './made-record.ts';

const ELECTED = { settings: { WATCH_NAMESPACE: '*', CHANCERY_LEADER_ELECTION: 'true' } } as const;

function created(a: string) {
  const metadata = { name: 'web-copy', namespace: 'demo' };
  return {
    ...{ method: 'POST', path: `${PATH}?fieldManager=copy&fieldValidation=Warn` },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a } },
    answer: configMap('web-copy', '12', { a }),
  };
}

function patched(a: string) {
  return {
    ...{ method: 'PATCH', path: `${PATH}/web-copy?fieldManager=copy&fieldValidation=Warn` },
    ...{ status: 200, body: { data: { a } }, answer: configMap('web-copy', '14', { a }) },
  };
}

describe('leadership in a replay', () => {
  it('in a replay leadership begins when the recorded process gained it, and all objects are reconciled', async () => {
    const record = new MadeRecord({ leads: false, objects: [configMap('web', '9', { a: '1' })] })
      .header(ELECTED)
      .event(2_000, 'MODIFIED', configMap('web', '11', { a: '2' }))
      .add({ kind: 'leader', at: 3_000, leads: true })
      .attempt(3_001, 'demo/web', [created('2')])
      .record();

    const found = await replay({ record, controllers: [copying()] });

    expect(found).toMatchObject({ differences: [], attempts: 1, writes: 1 });
  });

  it('a replay ends leadership when the recorded process lost leadership, and reports this', async () => {
    const record = copyIncident()
      .header(ELECTED)
      .add({ kind: 'leader', at: 300_020, leads: false })
      .event(301_000, 'MODIFIED', configMap('web', '15', { a: '4' }))
      .record(310_000);

    const found = await replay({ record, controllers: [copying()] });

    expect(found).toMatchObject({ differences: [], attempts: 2, writes: 2, endedAt: 300_020 });
    expect(found.notes.join()).toContain('the process lost its leadership there');
  });

  it('a replay continues in the next term of leadership, with the objects known until then', async () => {
    const record = new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] })
      .header(ELECTED)
      .event(2_000, 'MODIFIED', configMap('web', '11', { a: '2' }))
      .attempt(2_001, 'demo/web', [created('2')])
      .event(2_010, 'ADDED', configMap('web-copy', '12', { a: '2' }))
      .add({ kind: 'leader', at: 50_000, leads: false })
      .event(60_000, 'MODIFIED', configMap('web', '13', { a: '3' }))
      .add({ kind: 'leader', at: 100_000, leads: true })
      .attempt(100_001, 'demo/web', [patched('3')])
      .event(100_010, 'MODIFIED', configMap('web-copy', '14', { a: '3' }))
      .event(110_000, 'MODIFIED', configMap('web', '15', { a: '4' }))
      .attempt(110_001, 'demo/web', [patched('4')])
      .record(120_000);

    const found = await replay({ record, controllers: [copying()] });

    expect(found).toMatchObject({ differences: [], attempts: 3, writes: 3, endedAt: 120_000 });
  });

  it('in the next term a replay also lists sources whose list is not in the record', async () => {
    const shown = {
      ...CONFIG_MAPS,
      ...{ id: 'services', kind: 'Service', plural: 'services' },
    };
    const sources = ['configmaps', 'services'];
    const record = new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] })
      .header({
        ...{ ...ELECTED, sources: [CONFIG_MAPS, shown] },
        controllers: [{ name: 'copy', for: 'configmaps', sources, workers: 1 }],
      })
      .add(
        { kind: 'cached', at: 1_000, source: 'services', resourceVersion: '10', objects: [] },
        { kind: 'leader', at: 50_000, leads: false },
        { kind: 'leader', at: 100_000, leads: true },
      )
      .attempt(100_001, 'demo/web', [created('1')])
      .record(120_000);
    const reading = { ...copying(), reads: [source(services)] };

    const found = await replay({ record, controllers: [reading] });

    expect(found).toMatchObject({ differences: [], attempts: 1, writes: 1 });
  });

  it('a replay also compares the attempts after the first term of leadership', async () => {
    const record = new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] })
      .header(ELECTED)
      .add({ kind: 'leader', at: 50_000, leads: false })
      .add({ kind: 'leader', at: 100_000, leads: true })
      .attempt(100_001, 'demo/web', [created('2')])
      .record(120_000);

    const found = await replay({ record, controllers: [copying()] });

    expect(found.differences).toMatchObject([
      { at: 100_001, kind: 'write', details: ['data.a was "2", and is "1"'] },
    ]);
  });

  it('a replay requires that the process was the leader at some time', async () => {
    const record = new MadeRecord({ leads: false }).header(ELECTED).record();

    await expect(replay({ record, controllers: [copying()] })).rejects.toThrow(
      'the process did not lead while it was recorded',
    );
  });

  it('the settings of a module can enable leader election in a replay', async () => {
    const record = new MadeRecord({ leads: false }).record();
    const leaderElection = {
      ...{ leaseName: 'copy', leaseNamespace: 'demo', releaseOnStop: true },
      onLost: 'exit',
      ...{ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
    } as const;

    await expect(
      replay({ record, controllers: [copying()], settings: { leaderElection } }),
    ).rejects.toThrow('the process did not lead while it was recorded');
  });
});
