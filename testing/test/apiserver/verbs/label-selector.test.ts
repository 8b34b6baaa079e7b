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
])('[F-3] the label selector %j is refused with 400 in a list, a watch and a deletecollection', async (text, why) => {
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
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['! !x', "unable to parse requirement: found '!', expected: identifier"],
  [')', "found ')', expected: !, identifier, or 'end of string'"],
  ['x=1 y', "found 'y', expected: ',' or 'end of string'"],
  ['!x y', "found 'y', expected: ',' or 'end of string'"],
  ['x,', "found '', expected: identifier after ','"],
  ['x,==1', "found '==', expected: identifier after ','"],
  ['x is y', "unable to parse requirement: found 'is', expected: in, notin, =, ==, !=, gt, lt"],
  ['x(', "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
  ['x=!', "unable to parse requirement: found '!', expected: identifier"],
  ['x in 1', "unable to parse requirement: found '1' expected: '('"],
  ['x notin (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
  ['x in (1 2)', "unable to parse requirement: found '2', expected: ',' or ')'"],
  ['x in (1', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['x in (1,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
])('[F-3] the malformed label selector %j is refused with 400 and the message of Kubernetes', async (text, message) => {
  const { send } = await startCluster();

  const { status, body } = await send('GET', `${CONFIG_MAPS}?${select(text)}`);

  expect([status, body.message]).toEqual([400, message]);
});

test('[F-3] a malformed field selector is refused with 400', async () => {
  const { send } = await startCluster();

  const { status, body } = await send('GET', `${CONFIG_MAPS}?fieldSelector=metadata.name,a%3Db`);

  const message = "invalid selector: 'metadata.name,a=b'; can't understand 'metadata.name'";
  expect([status, body.message]).toEqual([400, message]);
});

test.each([
  ['x>0', ['max', 'one']],
  ['x>9223372036854775806', ['max']],
  ['x<9223372036854775807', ['one']],
  ['x>9223372036854775807', []],
  ['x', ['beyond', 'far-beyond', 'max', 'no-number', 'one']],
])('[F-3] the label selector %s matches no label value above 64 bits', async (text, names) => {
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
