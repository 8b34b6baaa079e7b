/** Label selectors of requests: k8s.io/apimachinery pkg/labels/selector.go has rules and words. */
import { expect, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';

const NO_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer";
const NO_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const select = (selector: string): string => `labelSelector=${encodeURIComponent(selector)}`;

test.each([
  ['x>9223372036854775808', `values[0]: Invalid value: "9223372036854775808": ${NO_INTEGER}`],
  ['x < 18446744073709551616', `values[0]: Invalid value: "18446744073709551616": ${NO_INTEGER}`],
  [`a=b,x>${'9'.repeat(63)}`, `values[0]: Invalid value: "${'9'.repeat(63)}": ${NO_INTEGER}`],
  ['x>', `values[0]: Invalid value: "": ${NO_INTEGER}`],
  ['x>1.5', `values[0]: Invalid value: "1.5": ${NO_INTEGER}`],
  ['x>-5', `values[0][x]: Invalid value: "-5": ${NO_VALUE}`],
  [
    'x>-a',
    `[values[0]: Invalid value: "-a": ${NO_INTEGER}, values[0][x]: Invalid value: "-a": ${NO_VALUE}]`,
  ],
  ['x in (b,-a,b)', `values[0][x]: Invalid value: "-a": ${NO_VALUE}`],
  ['x=-a', `values[0][x]: Invalid value: "-a": ${NO_VALUE}`],
  ['/x>1', '<nil>: Invalid value: "/x": prefix part must be non-empty'],
])('[F-3] the label selector %j is 400, in a list, a watch and a deletion of all', async (text, why) => {
  const { send, server } = await startCluster();
  server.create(configMap('a', { labels: { x: '1' } }));

  const answers = [
    await send('GET', `${CONFIG_MAPS}?${select(text)}`),
    await send('GET', `${CONFIG_MAPS}?watch=1&${select(text)}`),
    await send('DELETE', `${CONFIG_MAPS}?${select(text)}`),
  ];

  for (const { body } of answers) {
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `unable to parse requirement: ${why}`,
      reason: 'BadRequest',
      code: 400,
    });
  }
  expect((await send('GET', `${CONFIG_MAPS}/a`)).status).toBe(200);
});

test.each([
  ['x>0', ['max', 'one']],
  ['x>9223372036854775806', ['max']],
  ['x<9223372036854775807', ['one']],
  ['x>9223372036854775807', []],
  ['x', ['beyond', 'far-beyond', 'max', 'no-number', 'one']],
])('[F-3] %s selects no label value of more than 64 bits', async (text, names) => {
  const { send, server } = await startCluster();
  const values = {
    one: '1',
    max: '9223372036854775807',
    beyond: '9223372036854775808',
    'far-beyond': '9'.repeat(63),
    'no-number': '1e3',
  };
  for (const [name, x] of Object.entries(values)) server.create(configMap(name, { labels: { x } }));

  const { body } = await send('GET', `${CONFIG_MAPS}?${select(text)}`);

  expect(body.items.map((one: { metadata: { name: string } }) => one.metadata.name)).toEqual(names);
});
