/**
 * A test of an operator in Python as its author would write it: the official client, the ready file and the admin
 * endpoint.
 *
 * @module-tag python3-kubernetes
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pathOf } from '../tools/tools.ts';
import { chancery, folderWith } from './child.ts';
import { serving } from './support/served-api.ts';

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: kilns.clay.example }
spec:
  group: clay.example
  names: { kind: Kiln, plural: kilns }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { heat: { type: integer, maximum: 1300 } } } }
`;

const SCRIPT = `
import json, sys, time, urllib.request
from kubernetes import client, config, watch

config.load_kube_config(sys.argv[1])
admin = open(sys.argv[2]).read().split()[1]
core = client.CoreV1Api()
custom = client.CustomObjectsApi()
KILNS = ("clay.example", "v1", "default", "kilns")

def ask(method, path, body=None):
    request = urllib.request.Request(admin + path, method=method, data=body)
    return urllib.request.urlopen(request).read()

def status_of(call):
    try:
        call()
    except client.ApiException as error:
        return error.status

def kiln(name, heat):
    metadata = {"name": name}
    return {"apiVersion": "clay.example/v1", "kind": "Kiln", "metadata": metadata, "spec": {"heat": heat}}

def kilns():
    return [[each["metadata"]["name"], each["metadata"]["uid"]] for each in custom.list_namespaced_custom_object(*KILNS)["items"]]

custom.create_namespaced_custom_object(*KILNS, kiln("small", 900))
too_hot = status_of(lambda: custom.create_namespaced_custom_object(*KILNS, kiln("hot", 2000)))

ask("PUT", "/faults", json.dumps({"faults": [{"verbs": ["list"], "status": 503, "count": 1}]}).encode())
faults = [status_of(kilns), status_of(kilns)]

before = kilns()
taken = ask("GET", "/snapshot")
custom.delete_namespaced_custom_object(*KILNS, "small")
emptied = kilns()
ask("PUT", "/snapshot", taken)

ask("PUT", "/faults", json.dumps({"faults": [{"cutWatch": "clean"}]}).encode())
stream = watch.Watch().stream(core.list_namespace, timeout_seconds=60)
first = next(stream)["object"].metadata.name
stream.close()

ask("POST", "/clock/advance", b'{"ms": 172800000}')
core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="late")))
late = core.read_namespaced_config_map("late", "default").metadata.creation_timestamp

print(json.dumps({
    "too_hot": too_hot,
    "faults": faults,
    "emptied": emptied,
    "restored": kilns() == before,
    "first": first,
    "moved": late.timestamp() - time.time() > 172000,
}))
`;

test('a Python program can control faults, snapshots, watches and time, and use the official client', {
  timeout: 60_000,
}, async () => {
  const folder = folderWith({ 'kilns.yaml': DEFINITION, 'test.py': SCRIPT });
  const [kubeconfig, ready] = [join(folder, 'cluster.config'), join(folder, 'ready')];
  const files = ['--kubeconfig-out', kubeconfig, '--ready-file', ready];
  const args = ['apiserver', '--port=0', '--admin-port=0', ...files, '--install', folder];
  await serving(chancery(args));

  const { stdout } = await promisify(execFile)(
    pathOf('python3-kubernetes'),
    [join(folder, 'test.py'), kubeconfig, ready],
    { env: { HOME: dirname(kubeconfig) } },
  );

  expect(readFileSync(ready, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  expect(JSON.parse(stdout)).toEqual({
    too_hot: 422,
    faults: [503, null],
    emptied: [],
    restored: true,
    first: 'default',
    moved: true,
  });
});
