import { expect, test } from 'vitest';
import { coresIn, cpuSecondsIn, placesOf, sumIn } from './readings.ts';

test('cpuSecondsIn adds user time and kernel time, whatever the name of the program is', () => {
  const after = 'S 1 2 3 0 -1 4194560 1111 0 0 0 250 75 9000 9000 20 0 11 0 5 6 7';

  expect(cpuSecondsIn(`42 (node) ${after}`)).toBe(3.25);
  expect(cpuSecondsIn(`42 (a b) (c) R) ${after}`)).toBe(3.25);
  expect(() => cpuSecondsIn('')).toThrow('no /proc/PID/stat');
});

test.each([
  ['0', [0]],
  ['0-1', [0, 1]],
  ['2,4-6,9', [2, 4, 5, 6, 9]],
])('the list of cores %s is read as %j', (list, cores) => {
  expect(
    coresIn(`Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${list}\nMems:\t1\n`),
  ).toEqual(cores);
});

test('a process status without a list of cores causes an error', () => {
  expect(() => coresIn('Name:\tnode\n')).toThrow('no Cpus_allowed_list');
});

test('sumIn adds the series of a metric that have the label, and ignores metrics with a longer name', () => {
  const text = `# HELP groups of a phase
groups{name="a",phase="owning"} 7
groups{name="b",phase="owning"} 1
groups{name="a",phase="foreign"} 8
groups_total{phase="owning"} 100
plain 3
`;

  expect(sumIn(text, 'groups', 'phase="owning"')).toBe(8);
  expect(sumIn(text, 'groups')).toBe(16);
  expect(sumIn(text, 'plain')).toBe(3);
  expect(sumIn('', 'groups')).toBe(0);
});

test.each([
  [1, [0, 1], { replicas: ['0'], server: '1' }],
  [2, [0, 1], { replicas: ['0', '1'], server: '0,1' }],
  [2, [1, 3, 5, 7], { replicas: ['1', '3'], server: '5,7' }],
  [4, [0, 1], { replicas: ['0', '1', '0', '1'], server: '0,1' }],
  [1, [6], { replicas: ['6'], server: '6' }],
])('%i replicas on the cores %j get one core each, and the server gets the free cores, or all cores when none is free', (replicas, cores, places) => {
  expect(placesOf(replicas, cores)).toEqual(places);
});
