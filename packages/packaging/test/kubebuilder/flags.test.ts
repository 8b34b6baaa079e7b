/** The words of the command line, of which kubebuilder sends those of all plugins. */
import { expect, test } from 'vitest';
import { flagValues } from '../../src/kubebuilder/flags.ts';

const ALSO = ['group', 'version', 'kind'];

test.each([
  ['--owns a.b,c --typescript', { owns: 'a.b,c', typescript: true }],
  ['--owns=a=b --typescript=false', { owns: 'a=b', typescript: false }],
  ['--typescript=T --cluster-scoped=0', { typescript: true, 'cluster-scoped': false }],
  ['--owns a --owns b', { owns: 'b' }],
  ['--owns= --kind Cart', { owns: '', kind: 'Cart' }],
  ['--typescript owns --kind=Cart word', { typescript: true, kind: 'Cart' }],
  ['--repo --typescript --make=false', { typescript: true }],
  ['--kind Cart -- --typescript --owns x', { kind: 'Cart' }],
  ['--typescript word --cluster-scoped', { typescript: true, 'cluster-scoped': true }],
  ['--domain x --own --ownsmore=y', {}],
  ['', {}],
])('the plugin parses the arguments "%s"', (line, expected) => {
  const flags = flagValues('api', line === '' ? [] : line.split(' '), ALSO);

  const found = {
    ...{ owns: flags.text('owns'), kind: flags.text('kind') },
    ...{ typescript: flags.bool('typescript'), 'cluster-scoped': flags.bool('cluster-scoped') },
  };
  expect(JSON.parse(JSON.stringify(found))).toEqual(expected);
});

test('the value of a flag may contain spaces, line breaks and an equals sign', () => {
  const flags = flagValues('edit', ['--ambassador-image', 'a b', '--ambassador-image=c\nd=e']);

  expect(flags.text('ambassador-image')).toBe('c\nd=e');
});

test.each([
  [['--owns'], '--owns needs a value, such as --owns=VALUE'],
  [['--owns', '--typescript'], '--owns needs a value, such as --owns=VALUE'],
  [['--typescript=yes'], '--typescript must be true or false, not "yes"'],
  [['--typescript', 'false'], '--typescript false means true, because kubebuilder takes'],
  [['--typescript', 'T'], 'write --typescript=T'],
  [['--cluster-scoped='], '--cluster-scoped must be true or false, not ""'],
])('the arguments %j are refused', (args, message) => {
  expect(() => flagValues('api', args)).toThrow(message);
});
