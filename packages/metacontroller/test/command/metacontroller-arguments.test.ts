import { expect, test } from 'vitest';
import { parseFlags } from '../../../../operator/cli/flags.ts';
import { METACONTROLLER } from '../../../../operator/cli/metacontroller/table.ts';
import {
  type MetacontrollerArguments,
  metacontrollerArguments,
} from '../../src/command/arguments.ts';
import { METACONTROLLER_DEFAULTS } from '../../src/supervisor/options.ts';

const parseMetacontrollerArguments = (args: readonly string[]): MetacontrollerArguments =>
  metacontrollerArguments(parseFlags(args, METACONTROLLER));

test('flags of Metacontroller that this command supports keep their names and defaults', () => {
  const { options: without } = parseMetacontrollerArguments([]);
  const { options } = parseMetacontrollerArguments([
    '--workers=12',
    '--cache-flush-interval=1h30m',
    '--discovery-interval=5s',
    '--apply-strategy=server-side-apply',
    '--apply-strategy-ssa-field-manager=farm',
    '--target-label-selector=team in (farm, city),!old',
    '--compat-empty-children',
    '--extensions',
    '--no-managed-fields',
  ]);

  const { functions: _, ...defaults } = METACONTROLLER_DEFAULTS;
  expect(without).toEqual(defaults);
  expect(options).toEqual({
    workers: 12,
    resyncPeriodMs: 5_400_000,
    discoveryIntervalMs: 5_000,
    applyStrategy: 'server-side-apply',
    fieldManager: 'farm',
    targetLabelSelector: 'team in (farm, city),!old',
    emptyChildren: 'delete',
    extensions: true,
    managedFields: false,
  });
});

test.each([
  [['--client-go-qps=20'], '--client-go-qps: requests are limited'],
  [['--kubeconfig', 'kube.config'], '--kubeconfig: the process has no credentials'],
  [['--metrics-address=:9999'], '--metrics-address: set CHANCERY_METRICS_PORT'],
  [['--zap-log-level=5'], '--zap-log-level: set CHANCERY_LOG_LEVEL'],
  [['--leader-election-id=x'], '--leader-election-id: set CHANCERY_LEASE_NAME'],
])('[contract 101] the error about the flag %j suggests its replacement', (args, told) => {
  expect(() => parseMetacontrollerArguments(args)).toThrow(told);
});

test.each([
  [['--workers=0'], '--workers must be a whole number from 1 to 999, not "0"'],
  [['--workers', '1.5'], '--workers must be'],
  [['--discovery-interval=10ms'], 'from 1s to 24h, not "10ms"'],
  [['--cache-flush-interval=-1s'], 'from 0 to 24h, not "-1s"'],
  [['--cache-flush-interval=soon'], 'not "soon"'],
  [['--apply-strategy=replace'], 'must be dynamic-apply or server-side-apply, not "replace"'],
  [['--apply-strategy-ssa-field-manager='], 'must be a name'],
  [['--target-label-selector=a b'], '--target-label-selector: '],
  [['--follow'], '--follow is for --dry-run'],
  [['--leader-election', '--no-leader-election'], 'got both'],
  [['controllers.yaml'], 'expected options only'],
  [['--worker=5'], 'did you mean --workers'],
])('the argument %j is refused', (args, told) => {
  expect(() => parseMetacontrollerArguments(args)).toThrow(told);
});
