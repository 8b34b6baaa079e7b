import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, startCluster, type TestCluster } from '../support/cluster.ts';
import { bytesField, protobufBody } from '../support/protobuf-writer.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

async function post(
  { server }: TestCluster,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: Uint8Array.from(Buffer.from(body)),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

function configMap(rest: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}${rest}}`;
}

describe('[F-10] JSON bodies', () => {
  test.each([
    ['', '', 'json parse error: unexpected end of JSON input (<empty>)'],
    ['{"broken', '', 'json parse error: unexpected end of JSON input ({"broken)'],
    ['[1]', '', 'cannot unmarshal array into Go value of type struct { APIVersion string'],
    [
      '{"kind":5}',
      '',
      'cannot unmarshal number into Go struct field .kind of type string ({"kind":5})',
    ],
    [`{"${'x'.repeat(50)}`, '', `unexpected end of JSON input ({"${'x'.repeat(28)} ...)`],
    ['ab', '', "invalid character 'a' looking for beginning of value (6162)"],
  ])('the body %j is refused with 400, and the error quotes its beginning', async (text, _, why) => {
    const cluster = await startCluster();

    const { status, body } = await post(cluster, CONFIG_MAPS, text);

    expect(status).toBe(400);
    expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
    expect(body.message).toContain(
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ",
    );
    expect(body.message).toContain(why);
  });

  test('duplicate and unknown fields at any depth are refused with Strict, and otherwise cause a warning', async () => {
    const cluster = await startCluster();
    const container = '{"name":"c","image":"i","imag":"x","env":[{"name":"E","name":"F"}]}';
    const template = `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[${container}],"foo":1}}`;
    const body = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":${template}}}`;

    const strict = await post(cluster, `${DEPLOYMENTS}?fieldValidation=Strict`, body);
    const warned = await post(cluster, `${DEPLOYMENTS}?fieldValidation=Warn`, body);

    expect(strict.status).toBe(400);
    expect(strict.body.message).toBe(
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ' +
        'duplicate field "spec.template.spec.containers[0].env[0].name", ' +
        'unknown field "spec.template.spec.containers[0].imag", unknown field "spec.template.spec.foo"',
    );
    expect(warned.status).toBe(201);
    expect(warned.headers.get('warning')).toBe(
      '299 - "duplicate field \\"spec.template.spec.containers[0].env[0].name\\"", ' +
        '299 - "unknown field \\"spec.template.spec.containers[0].imag\\"", ' +
        '299 - "unknown field \\"spec.template.spec.foo\\""',
    );
    expect(warned.body.spec.template.spec.foo).toBeUndefined();
    expect(warned.body.spec.template.spec.containers[0].env).toEqual([{ name: 'F' }]);
  });

  test('with fieldValidation Ignore, nothing is reported, and the last of several duplicate fields is used', async () => {
    const cluster = await startCluster();
    const body = configMap(',"data":{"a":"1","a":"2"},"bogus":1');

    const answer = await post(cluster, `${CONFIG_MAPS}?fieldValidation=Ignore`, body);

    expect(answer.status).toBe(201);
    expect(answer.headers.get('warning')).toBeNull();
    expect(answer.body.data).toEqual({ a: '2' });
    expect(answer.body.bogus).toBeUndefined();
  });

  test('a value of the wrong type is reported with the Go struct and the path of its field', async () => {
    const cluster = await startCluster();
    const body =
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":"3"}}';

    const answer = await post(cluster, DEPLOYMENTS, body);

    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe(
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    );
  });

  test('__proto__ and constructor are ordinary keys of data', async () => {
    const cluster = await startCluster();
    const body = configMap(',"data":{"__proto__":"x","constructor":"y","toString":"z"}');

    const created = await post(cluster, CONFIG_MAPS, body);
    const read = await cluster.send('GET', `${CONFIG_MAPS}/a`);

    expect(created.status).toBe(201);
    expect(read.text).toContain('"data":{"__proto__":"x","constructor":"y","toString":"z"}');
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test.each([
    [
      '{"kind":"Secret","apiVersion":"v1"}',
      'converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"kind":"Nothing","apiVersion":"v1"}',
      'no kind "Nothing" is registered for version "v1" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
    ],
  ])('the body %s of another kind is refused', async (text, why) => {
    const cluster = await startCluster();

    const { status, body } = await post(cluster, CONFIG_MAPS, text);

    expect(status).toBe(400);
    expect(body.message).toContain(`cannot be handled as a ConfigMap: ${why}`);
  });
});

describe('[F-10] media types and sizes of bodies', () => {
  test.each([
    ['application/json; charset=utf-16', 201],
    ['application/JSON', 201],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/cbor', 415],
  ])('a body of type %s is answered %i', async (type, code) => {
    const cluster = await startCluster();

    const answer = await post(cluster, CONFIG_MAPS, configMap(''), { 'content-type': type });

    expect(answer.status).toBe(code);
  });

  test('a compressed body is refused as invalid JSON', async () => {
    const cluster = await startCluster();
    const headers = { 'content-encoding': 'gzip' };

    const answer = await post(cluster, CONFIG_MAPS, gzipSync(configMap('')), headers);

    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(
      "invalid character '\\x1f' looking for beginning of value (1f8b08",
    );
  });

  test('a body over 3 MiB is answered 413, and the connection is closed', async () => {
    const cluster = await startCluster();
    const body = configMap(`,"data":{"a":"${'x'.repeat(3 * 1024 * 1024)}"}`);

    const answer = await post(cluster, CONFIG_MAPS, body);

    expect(answer.status).toBe(413);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.body).toMatchObject({
      message: 'Request entity too large: limit is 3145728',
      reason: 'RequestEntityTooLarge',
      code: 413,
    });
  });

  test.each([
    [1_500_000, 201, undefined],
    [1_700_000, 500, 'etcdserver: request is too large'],
    [
      2_500_000,
      500,
      'rpc error: code = ResourceExhausted desc = trying to send message larger than max (',
    ],
  ])('an object of %i bytes is answered %i, because of the limits of etcd', async (size, code, why) => {
    const cluster = await startCluster();
    const rule = {
      verbs: ['get'],
      apiGroups: [''],
      resources: ['pods'],
      resourceNames: ['x'.repeat(size)],
    };
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'a' },
      rules: [rule],
    };

    const answer = await post(
      cluster,
      '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
      JSON.stringify(role),
    );

    expect(answer.status).toBe(code);
    expect(answer.body.message ?? '').toContain(why ?? '');
  });

  test('a body that arrives too slowly is answered 504, and the connection is closed', async () => {
    const cluster = await startCluster({ bodyTimeoutMs: 50 });
    const socket = connect(cluster.server.port, '127.0.0.1');
    onTestFinished(() => {
      socket.destroy();
    });
    let received = '';
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    const closed = once(socket, 'close');
    socket.write(`POST ${CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"a`);

    await closed;

    expect(received).toContain('HTTP/1.1 504 ');
    expect(received).toContain('"reason":"Timeout"');
  });
});

describe('[F-10] YAML bodies', () => {
  const headers = { 'content-type': 'application/yaml' };

  test('an object is created from YAML, and a duplicate key gets a warning', async () => {
    const cluster = await startCluster();
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: "1"\n  a: "2"\n';

    const strict = await post(cluster, `${CONFIG_MAPS}?fieldValidation=Strict`, text, headers);
    const answer = await post(cluster, CONFIG_MAPS, text, headers);

    expect(strict.status).toBe(400);
    expect(strict.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 7: key "a" already set in map',
    );
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({ a: '2' });
  });

  test('a malformed YAML body and an alias bomb are refused', async () => {
    const cluster = await startCluster();
    const bomb = Array.from({ length: 12 }, (_, at) =>
      at === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x]'
        : `a${at}: &a${at} [${`*a${at - 1}, `.repeat(8)}]`,
    );

    const broken = await post(cluster, CONFIG_MAPS, 'a: [1', headers);
    const bombed = await post(cluster, CONFIG_MAPS, bomb.join('\n'), headers);

    expect(broken.status).toBe(400);
    expect(broken.body.message).toContain('error converting YAML to JSON: yaml: ');
    expect(bombed.status).toBe(400);
  });
});

describe('[F-10] protobuf bodies', () => {
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };

  test('an object is created from the protobuf body that kubectl sends', async () => {
    const cluster = await startCluster();
    // kubectl create configmap from-literal --from-literal=a=b
    const recorded = Buffer.from(
      'k8s\0\n\u000f\n\u0002v1\u0012\tConfigMap\u0012*\n \n\ffrom-literal\u0012\0\u001a\u0004demo"\0*\u00002\u00008\0B\0\u0012\u0006\n\u0001a\u0012\u0001b\u001a\0"\0',
      'latin1',
    );
    cluster.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });

    const answer = await post(cluster, '/api/v1/namespaces/demo/configmaps', recorded, headers);

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ metadata: { name: 'from-literal' }, data: { a: 'b' } });
    expect(Object.keys(answer.body)).toEqual(['kind', 'apiVersion', 'metadata', 'data']);
  });

  test('a broken protobuf body is refused, and the error quotes the part that was read', async () => {
    const cluster = await startCluster();
    const envelope = Buffer.from('k8s\0\n\u007f', 'latin1');
    const message = protobufBody('v1', 'ConfigMap', Buffer.from([0x0a, 0x7f]));

    const none = await post(cluster, CONFIG_MAPS, Buffer.from('{}'), headers);
    const early = await post(cluster, CONFIG_MAPS, envelope, headers);
    const late = await post(cluster, CONFIG_MAPS, message, headers);

    expect(none.body.message).toContain('provided data does not appear to be a protobuf message');
    expect(early.body.message).toBe(
      'the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b3873000a7f)',
    );
    expect(late.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    );
    expect([none.status, early.status, late.status]).toEqual([400, 400, 400]);
  });

  test('deletion options can be sent as protobuf', async () => {
    const cluster = await startCluster();
    await post(cluster, CONFIG_MAPS, configMap(''));
    const uid = bytesField(1, 'another');
    const body = protobufBody('v1', 'DeleteOptions', bytesField(2, uid));

    const response = await fetch(`${cluster.server.url}${CONFIG_MAPS}/a`, {
      method: 'DELETE',
      headers,
      body: Uint8Array.from(body),
    });

    expect(response.status).toBe(409);
    expect(await response.text()).toContain('the UID in the precondition (another)');
  });

  test('a deletion with a body that is not DeleteOptions is refused', async () => {
    const cluster = await startCluster();
    await post(cluster, CONFIG_MAPS, configMap(''));
    const path = `${CONFIG_MAPS}/a`;

    const broken = await cluster.send('DELETE', path, '{"a', {
      'content-type': 'application/json',
    });
    const other = await cluster.send('DELETE', path, { kind: 'ConfigMap', apiVersion: 'v1' });
    const typed = await cluster.send('DELETE', path, { gracePeriodSeconds: 'soon' });

    expect([broken.status, other.status, typed.status]).toEqual([400, 400, 400]);
    expect(typed.body.message).toBe(
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    );
  });

  test('a request that accepts only protobuf is answered 406', async () => {
    const cluster = await startCluster();
    const only = await cluster.send('GET', CONFIG_MAPS, undefined, {
      accept: 'application/vnd.kubernetes.protobuf',
    });
    const either = await cluster.send('GET', CONFIG_MAPS, undefined, {
      accept: 'application/vnd.kubernetes.protobuf,application/json',
    });

    expect([only.status, either.status]).toEqual([406, 200]);
  });
});
