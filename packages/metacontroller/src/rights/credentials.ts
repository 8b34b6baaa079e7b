import { type Source, source } from 'chancery';
import { configMaps } from 'chancery/internal';
import { secrets } from 'chancery/kubernetes';
import type { FunctionsFile } from '../call/functions-file.ts';
import type { ConnectionSpec, ControllerSpec, HookName, KeyReference } from '../spec.ts';

/**
 * Sources for the Secrets and ConfigMaps that the webhooks of a controller need. Each source
 * selects one object by name. If a program or a module replaces a hook, the hook needs no
 * credentials.
 */
export function credentialSources(
  spec: ControllerSpec,
  functions: Pick<FunctionsFile, 'functionsFor'> | undefined,
): readonly Source[] {
  const replaced = functions?.functionsFor(spec.kind, spec.name)?.hooks ?? {};
  const hooks = Object.entries(spec.hooks).filter(
    ([name]) => replaced[name as HookName] === undefined,
  );
  const keys = hooks.flatMap(([, { webhook }]) =>
    webhook === undefined ? [] : keysOf(webhook.connection),
  );
  const objects = new Map(
    keys.map((each) => [JSON.stringify([each.kind, each.namespace, each.name]), each]),
  );
  return [...objects.values()].map(({ kind, namespace, name }) =>
    source(kind === 'Secret' ? secrets : configMaps, {
      namespace: { name: namespace },
      fieldSelector: `metadata.name=${name}`,
    }),
  );
}

function keysOf(connection: ConnectionSpec): readonly KeyReference[] {
  const { caBundle, clientTls, authorization, basicAuth } = connection;
  return [
    ...(caBundle === undefined || 'inline' in caBundle ? [] : [caBundle]),
    ...(clientTls === undefined ? [] : [clientTls.certificate, clientTls.privateKey]),
    ...(authorization === undefined ? [] : [authorization.credentials]),
    ...(basicAuth === undefined ? [] : [basicAuth.username, basicAuth.password]),
  ];
}
