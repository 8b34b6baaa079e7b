import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { profileNamed } from '../../test/support/load/profiles.ts';
import { World } from '../../test/support/load/world.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { parseLayersArguments, USAGE } from '../layers/arguments.ts';
import { LAYER_NAMES, LAYERS, read } from '../layers/layers.ts';
import { layersTable, type Measured } from '../layers/report.ts';

describe('the command line of the layers', () => {
  test('without arguments, 200,000 events about 50,000 ConfigMaps are measured five times', () => {
    expect(parseLayersArguments([])).toEqual({
      ...{ profile: 'config-map', objects: 50_000, events: 200_000, rounds: 5, flags: [] },
    });
  });

  test('flags of Node can be given several times', () => {
    const words = ['--flag=--max-semi-space-size=8', '--flag=--single-threaded-gc'];

    expect(parseLayersArguments(words)).toMatchObject({
      flags: ['--max-semi-space-size=8', '--single-threaded-gc'],
    });
  });

  test('--help takes precedence, and the help lists every profile', () => {
    expect(parseLayersArguments(['--help', '--rounds', '2'])).toBe('help');
    for (const profile of ['config-map', 'widget', 'pod', 'big']) expect(USAGE).toContain(profile);
  });

  test.each([
    [['--profile', 'node'], /no profile is named node; there are: config-map/],
    [['--rounds', '0'], /--rounds must be a whole number above 0, not 0/],
    [['--events', '1.5'], /--events .* not 1\.5/],
    [['--objects', 'many'], /--objects .* not many/],
    [['--toString'], /--toString/],
  ])('the arguments %j are refused with a message that says why', (words, wrong) => {
    expect(parseLayersArguments(words)).toEqual({ wrong: expect.stringMatching(wrong) });
  });
});

describe('the layers', () => {
  test.each(LAYER_NAMES)('%s counts every event once, wherever the chunks end', (name) => {
    fc.assert(
      fc.property(
        fc.constantFrom('config-map', 'pod'),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 9 }),
        (profile, count, sizes) => {
          const world = new World(profileNamed(profile), 7);
          const bytes = Buffer.concat(world.burst({ events: count, keys: 7, marker: 'märker' }));
          const layer = LAYERS[name].open();
          let events = 0;
          for (let from = 0, turn = 0; from < bytes.length; turn++) {
            const to = from + (sizes[turn % sizes.length] ?? 1);
            events += layer.take(Buffer.from(bytes.subarray(from, to)));
            from = to;
          }

          expect(events).toBe(count);
        },
      ),
      propertyRuns(0.1),
    );
  });

  test.each(
    LAYER_NAMES.filter((name) => name !== 'lines' && name !== 'text-kept'),
  )('%s reads something of every event', (name) => {
    const world = new World(profileNamed('config-map'), 3);
    const before = read.characters;

    LAYERS[name].open().take(Buffer.concat(world.burst({ events: 6, keys: 3, marker: 'm' })));

    expect(read.characters - before).toBeGreaterThanOrEqual(6);
  });
});

describe('the table of the layers', () => {
  const run = (name: Measured['name'], user: number, events = 10): Measured => {
    const each = { user, system: 1, collection: user / 2 };
    const second = { user: user / 4, system: 0, collection: 0.125 };
    return {
      name,
      figures: { events, first: each, second, peakBytes: 123_400_000, readCharacters: 1 },
    };
  };

  test('a row has the medians of all runs, and a layer that was not run has none', () => {
    const rows = layersTable([run('parse', 4), run('parse', 20), run('parse', 8)]).split('\n');

    expect(rows).toHaveLength(2 + LAYER_NAMES.length);
    expect(rows).toContain(`| ${LAYERS.parse.title} | 9.00 | 4.00 | 2.00 | 0.13 | 123 |`);
    expect(rows).toContain(`| ${LAYERS.lines.title} | – | – | – | – | – |`);
  });

  test('runs that counted different numbers of events are no measurement', () => {
    expect(() => layersTable([run('parse', 4, 10), run('lines', 4, 9)])).toThrow('10, 9');
  });
});
