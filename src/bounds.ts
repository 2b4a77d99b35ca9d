/**
 * Every maximum that is fixed and not a setting, each with its reason. Settings with a default stand in `config-limits.ts`.
 * Import a number from here; do not write it again. A new one goes into the file of its noun.
 */

export * from './bounds/page.ts';
export * from './bounds/billing.ts';
export * from './bounds/document.ts';
export * from './bounds/cost.ts';
export * from './bounds/response.ts';
export * from './bounds/request.ts';
export * from './bounds/tool.ts';
export * from './bounds/worker.ts';
export * from './bounds/body.ts';
export * from './bounds/call.ts';
export * from './bounds/list.ts';
export * from './bounds/delivery.ts';
export * from './bounds/fleet.ts';
export * from './bounds/telemetry.ts';
