/** What an error of the ambassador's filter says when the declarations of the process are known. */
import { expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { clientOf, intercept } from '../../operator/client/client-of.ts';
import { filterRefused } from '../../operator/client/response-failure.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import {
  explainRefusals,
  type KnownAccess,
} from '../../operator/manager/safety/explain-refusals.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { secrets } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';

const web = controller({
  name: 'web',
  for: source(configMaps),
  owns: [secrets as Resource],
  reconcile: async () => {},
});

/** A client behind an ambassador that refuses every request. */
function refused(known: KnownAccess): Client {
  const client = clientOf(async (call) => {
    const { name, namespace } =
      'target' in call ? call.target : { name: 'x', namespace: undefined };
    const path = `/api/v1/namespaces/${namespace}/${call.resource.plural}/${name}`;
    throw filterRefused({ method: 'GET', path });
  });
  return intercept(
    client,
    explainRefusals(() => known),
  );
}

const declared = { declarations: [web], placement: { namespaces: ['shop'] } };

test('[found 15] if a declared resource is refused in another namespace, the error does not call it undeclared', async () => {
  const asking = refused(declared).get(secrets, { namespace: 'kube-system', name: 'key' });

  await expect(asking).rejects.toMatchObject({
    code: 'AMBASSADOR_FORBIDDEN',
    fate: 'not-sent',
    message:
      "kubectl proxy refused GET /api/v1/namespaces/kube-system/secrets/key: its filter does not allow it: secrets is declared in namespace shop, and not in kube-system: add it to the watched namespaces (WATCH_NAMESPACE), or to a permission as namespaces: ['kube-system']. Then make the arguments of the proxy anew: chancery generate proxy or manifests (chancery dev does it by itself)",
    context: { status: 403, method: 'GET' },
  });
});

test('[found 15] the error for an undeclared resource asks the user to declare it in the controller, or to change the filter', async () => {
  const pods = { ...secrets, plural: 'pods', kind: 'Pod' } as Resource;
  const target = { namespace: 'shop', name: 'a' };
  const hooks = { name: 'hooks', sources: [source(configMaps)] };

  const webhooks = { name: 'webhooks', sources: [] };
  for (const others of [[], [webhooks as never]]) {
    const known = { ...declared, declarations: [web, ...others] };
    await expect(refused(known).get(pods, target)).rejects.toThrow(
      /o controller declares pods: add it to owns, watches or permissions of the controller\. Then make/,
    );
  }
  await expect(
    refused({ ...declared, declarations: [hooks as never] }).get(pods, target),
  ).rejects.toThrow(
    /allow it: what its filter was generated from does not name it\. Then make the arguments/,
  );
});

test('[found 15] explainRefusals changes only refusals', async () => {
  const failure = new TypeError('a bug');
  const client = clientOf(async () => {
    throw failure;
  });

  const asking = intercept(
    client,
    explainRefusals(() => declared),
  );

  await expect(asking.get(configMaps, { namespace: 'shop', name: 'a' })).rejects.toBe(failure);
});
