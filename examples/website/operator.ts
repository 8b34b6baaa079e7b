import { childName, controller } from 'chancery';
import { deployments } from 'chancery/kubernetes';
import { websites } from './definition.ts';
import { budget } from './webhook.ts';

export const website = controller({
  name: 'website',
  for: websites,
  owns: [deployments],
  finalizer: {
    name: 'example.dev/farewell',
    async finalize({ metadata }, { event, log }) {
      log.info({ name: metadata.name }, 'what Kubernetes does not know of would be removed here');
      event('Normal', 'Finalized', 'nothing is left behind');
    },
  },
  async reconcile(site, { applyOwned, setStatus, event }) {
    const { name } = site.metadata;
    const { image, replicas } = site.spec;
    const labels = {
      'app.kubernetes.io/name': 'website',
      'app.kubernetes.io/instance': childName(name, { form: 'label-value' }),
    };

    // Kubernetes adds 11 characters for the name of a ReplicaSet, which has 253.
    const deployment = await applyOwned(deployments, {
      metadata: { name: childName(name, { maxLength: 242 }), labels },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
      },
    });

    const readyReplicas = deployment.status?.readyReplicas ?? 0;
    const isReady = readyReplicas >= replicas;
    const status = isReady ? 'True' : 'False';
    const reason = isReady ? 'ReplicasReady' : 'WaitingForReplicas';
    const message = `${readyReplicas} of ${replicas} replicas are ready`;
    const isNews = await setStatus({
      readyReplicas,
      conditions: [{ type: 'Ready', status, reason, message }],
    });
    if (isNews && isReady) event('Normal', 'Ready', message);
  },
});

export default [website, budget];
