/** A list of the upstream, and the fields that read it. */
export interface Noun {
  readonly path: '/ip_connections' | '/ai/missions' | '/webhook_deliveries';
  readonly type: 'IpConnection' | 'Mission' | 'WebhookDelivery';
  readonly list: 'ipConnections' | 'missions' | 'webhookDeliveries';
  readonly one: 'ipConnection' | 'mission' | 'webhookDelivery';
  readonly idName: 'id' | 'mission_id';
  readonly timeName: 'created_at' | 'started_at';
  /** The largest page that its operation serves. */
  readonly pageLimit: number;
}

export const connections: Noun = {
  path: '/ip_connections',
  type: 'IpConnection',
  list: 'ipConnections',
  one: 'ipConnection',
  idName: 'id',
  timeName: 'created_at',
  pageLimit: 250,
};

export const missions: Noun = {
  path: '/ai/missions',
  type: 'Mission',
  list: 'missions',
  one: 'mission',
  idName: 'mission_id',
  timeName: 'created_at',
  pageLimit: 1000,
};

export const deliveries: Noun = {
  path: '/webhook_deliveries',
  type: 'WebhookDelivery',
  list: 'webhookDeliveries',
  one: 'webhookDelivery',
  idName: 'id',
  timeName: 'started_at',
  pageLimit: 250,
};

export const nouns: readonly Noun[] = [connections, missions, deliveries];
