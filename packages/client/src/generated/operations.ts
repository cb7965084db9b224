// Generated from the declared routes by "npm run generate". A test compares it.
import type { CallOptions, Operation } from '../call.ts';
import type {
  AppendToDocumentAnswer,
  AppendToDocumentInput,
  ApproveFusionAnswer,
  ApproveFusionInput,
  AuditMemoryAnswer,
  AuditMemoryInput,
  BrowseDocumentsAnswer,
  BrowseDocumentsInput,
  CancelConsolidationAnswer,
  CancelConsolidationInput,
  ConfirmMemoryAnswer,
  ConfirmMemoryInput,
  CreateMemoriesAnswer,
  CreateMemoriesInput,
  CreateMemoryAnswer,
  CreateMemoryInput,
  CreateTokenAnswer,
  CreateTokenInput,
  CreateWebhookAnswer,
  CreateWebhookInput,
  DemoteMemoryAnswer,
  DemoteMemoryInput,
  DescribeBackendAnswer,
  DescribeBackendInput,
  EditMemoryAnswer,
  EditMemoryInput,
  ExplainMemoryAnswer,
  ExplainMemoryInput,
  ExportMemoriesInput,
  ExtractInsightsAnswer,
  ExtractInsightsInput,
  ForgetMemoryAnswer,
  ForgetMemoryInput,
  ForgetSessionAnswer,
  ForgetSessionInput,
  ForgetUserAnswer,
  ForgetUserInput,
  GetLivenessAnswer,
  GetMemoryAnswer,
  GetMemoryInput,
  GetOpenApiAnswer,
  GetReadinessAnswer,
  GetWorkspaceAnswer,
  GetWorkspaceInput,
  GetWorkspaceRunAnswer,
  GetWorkspaceRunInput,
  ImportMemoriesAnswer,
  ImportMemoriesInput,
  ListChangeSetsAnswer,
  ListChangeSetsInput,
  ListConflictsAnswer,
  ListConflictsInput,
  ListDocumentsAnswer,
  ListDocumentsInput,
  ListFusionsAnswer,
  ListFusionsInput,
  ListMemoriesAnswer,
  ListMemoriesInput,
  ListQuarantineAnswer,
  ListQuarantineInput,
  ListReviewsAnswer,
  ListReviewsInput,
  ListRunsAnswer,
  ListRunsInput,
  ListTokensAnswer,
  ListTokensInput,
  ListUsersAnswer,
  ListUsersInput,
  ListWebhookDeliveriesAnswer,
  ListWebhookDeliveriesInput,
  ListWebhooksAnswer,
  ListWebhooksInput,
  ListWorkspaceRunsAnswer,
  ListWorkspaceRunsInput,
  ListWorkspacesAnswer,
  ListWorkspacesInput,
  PauseTenantAnswer,
  PauseTenantInput,
  PauseTierAnswer,
  PauseTierInput,
  PauseUserAnswer,
  PauseUserInput,
  PreviewProjectionAnswer,
  PreviewProjectionInput,
  PreviewRunAnswer,
  PreviewRunInput,
  ProjectMemoriesAnswer,
  ProjectMemoriesInput,
  PutWorkspaceAnswer,
  PutWorkspaceInput,
  ReadChangeSetAnswer,
  ReadChangeSetInput,
  ReadConflictAnswer,
  ReadConflictInput,
  ReadConsolidationAnswer,
  ReadConsolidationInput,
  ReadDocumentAnswer,
  ReadDocumentInput,
  ReadEstimateAnswer,
  ReadEstimateInput,
  ReadEvaluationAnswer,
  ReadEvaluationInput,
  ReadFusionAnswer,
  ReadFusionInput,
  ReadInsightsAnswer,
  ReadInsightsInput,
  ReadMemoryAnswer,
  ReadMemoryInput,
  ReadRunAnswer,
  ReadRunInput,
  ReadTenantSettingsAnswer,
  ReadTenantSettingsInput,
  ReadTokenAnswer,
  ReadUsageAnswer,
  ReadUsageInput,
  ReadUserAnswer,
  ReadUserInput,
  RecallMemoriesAnswer,
  RecallMemoriesInput,
  RedoChangeSetAnswer,
  RedoChangeSetInput,
  RedoFusionAnswer,
  RedoFusionInput,
  RedoRunAnswer,
  RedoRunInput,
  RejectFusionAnswer,
  RejectFusionInput,
  ReleaseUserAnswer,
  ReleaseUserInput,
  RemoveDocumentAnswer,
  RemoveDocumentInput,
  RemoveWebhookInput,
  RemoveWorkspaceAnswer,
  RemoveWorkspaceInput,
  RenameDocumentAnswer,
  RenameDocumentInput,
  RequestConsolidationAnswer,
  RequestConsolidationInput,
  ResolveConflictAnswer,
  ResolveConflictInput,
  ResumeTenantAnswer,
  ResumeTenantInput,
  ResumeTierAnswer,
  ResumeTierInput,
  ResumeUserAnswer,
  ResumeUserInput,
  RevokeTokenAnswer,
  RevokeTokenInput,
  RotateWebhookSecretAnswer,
  RotateWebhookSecretInput,
  SearchDocumentsAnswer,
  SearchDocumentsInput,
  SetConflictPolicyAnswer,
  SetConflictPolicyInput,
  SetModeAnswer,
  SetModeInput,
  SetProminenceAnswer,
  SetProminenceInput,
  SetTenantSettingsAnswer,
  SetTenantSettingsInput,
  StoreEvaluationAnswer,
  StoreEvaluationInput,
  TestWebhookAnswer,
  TestWebhookInput,
  TraceMemoryAnswer,
  TraceMemoryInput,
  UndoChangeSetAnswer,
  UndoChangeSetInput,
  UndoFusionAnswer,
  UndoFusionInput,
  UndoRunAnswer,
  UndoRunInput,
  UndoWorkspaceRunAnswer,
  UndoWorkspaceRunInput,
  UpdateUserAnswer,
  UpdateUserInput,
  UpdateWebhookAnswer,
  UpdateWebhookInput,
  WriteDocumentAnswer,
  WriteDocumentInput,
  WriteInsightsAnswer,
  WriteInsightsInput,
  WriteMemoryAnswer,
  WriteMemoryInput,
} from './types.ts';

/** How each operation is called. */
export const OPERATIONS = {
  listMemories: {
    method: 'GET',
    path: '/v1/memories',
    params: [],
    query: ['tenant', 'user', 'band', 'category', 'memoryType', 'latest', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'memories',
  },
  createMemory: {
    method: 'POST',
    path: '/v1/memories',
    params: [],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200, 201],
    keyed: true,
    list: null,
  },
  createMemories: {
    method: 'POST',
    path: '/v1/memories/bulk',
    params: [],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  getMemory: {
    method: 'GET',
    path: '/v1/memories/{id}',
    params: ['id'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  editMemory: {
    method: 'PATCH',
    path: '/v1/memories/{id}',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  recallMemories: {
    method: 'POST',
    path: '/v1/recall',
    params: [],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  explainMemory: {
    method: 'GET',
    path: '/v1/memories/{id}/explain',
    params: ['id'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  confirmMemory: {
    method: 'POST',
    path: '/v1/memories/{id}/confirm',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  demoteMemory: {
    method: 'POST',
    path: '/v1/memories/{id}/demote',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  setProminence: {
    method: 'POST',
    path: '/v1/memories/{id}/prominence',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  traceMemory: {
    method: 'GET',
    path: '/v1/memories/{id}/lineage',
    params: ['id'],
    query: ['tenant', 'user', 'depth'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  forgetMemory: {
    method: 'POST',
    path: '/v1/memories/{id}/forget',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  forgetSession: {
    method: 'POST',
    path: '/v1/sessions/{id}/forget',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  forgetUser: {
    method: 'POST',
    path: '/v1/users/{user}/forget',
    params: ['user'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  importMemories: {
    method: 'POST',
    path: '/v1/imports',
    params: [],
    query: ['format', 'tenant', 'user', 'date', 'merge'],
    body: 'raw',
    contentType: 'application/x-ndjson',
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  exportMemories: {
    method: 'GET',
    path: '/v1/export',
    params: [],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'stream',
    statuses: [200],
    keyed: false,
    list: null,
  },
  requestConsolidation: {
    method: 'POST',
    path: '/v1/consolidations',
    params: [],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [202],
    keyed: true,
    list: null,
  },
  readConsolidation: {
    method: 'GET',
    path: '/v1/consolidations/{runId}',
    params: ['runId'],
    query: ['tenant', 'user', 'waitSeconds'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  cancelConsolidation: {
    method: 'POST',
    path: '/v1/consolidations/{runId}/cancel',
    params: ['runId'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200, 202],
    keyed: true,
    list: null,
  },
  listRuns: {
    method: 'GET',
    path: '/v1/runs',
    params: [],
    query: ['tenant', 'user', 'tier', 'status', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'runs',
  },
  readRun: {
    method: 'GET',
    path: '/v1/runs/{id}',
    params: ['id'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  previewRun: {
    method: 'GET',
    path: '/v1/runs/{id}/preview',
    params: ['id'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  undoRun: {
    method: 'POST',
    path: '/v1/runs/{id}/undo',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  redoRun: {
    method: 'POST',
    path: '/v1/runs/{id}/redo',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  readUsage: {
    method: 'GET',
    path: '/v1/usage',
    params: [],
    query: ['tenant', 'user', 'days'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  readEstimate: {
    method: 'GET',
    path: '/v1/estimate',
    params: [],
    query: ['tenant', 'user', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'users',
  },
  listFusions: {
    method: 'GET',
    path: '/v1/fusions',
    params: [],
    query: ['tenant', 'user', 'status', 'tier', 'run', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'fusions',
  },
  readFusion: {
    method: 'GET',
    path: '/v1/fusions/{key}',
    params: ['key'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  listReviews: {
    method: 'GET',
    path: '/v1/reviews',
    params: [],
    query: ['tenant', 'user', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'reviews',
  },
  approveFusion: {
    method: 'POST',
    path: '/v1/fusions/{key}/approve',
    params: ['key'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  rejectFusion: {
    method: 'POST',
    path: '/v1/fusions/{key}/reject',
    params: ['key'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  undoFusion: {
    method: 'POST',
    path: '/v1/fusions/{key}/undo',
    params: ['key'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  redoFusion: {
    method: 'POST',
    path: '/v1/fusions/{key}/redo',
    params: ['key'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  listChangeSets: {
    method: 'GET',
    path: '/v1/users/{user}/change-sets',
    params: ['user'],
    query: ['tenant', 'limit', 'cursor', 'before', 'run', 'fusion', 'memory'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'changeSets',
  },
  readChangeSet: {
    method: 'GET',
    path: '/v1/change-sets/{id}',
    params: ['id'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  undoChangeSet: {
    method: 'POST',
    path: '/v1/change-sets/{id}/undo',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  redoChangeSet: {
    method: 'POST',
    path: '/v1/change-sets/{id}/redo',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  listConflicts: {
    method: 'GET',
    path: '/v1/conflicts',
    params: [],
    query: ['tenant', 'user', 'status', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'conflicts',
  },
  readConflict: {
    method: 'GET',
    path: '/v1/conflicts/{id}',
    params: ['id'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  resolveConflict: {
    method: 'POST',
    path: '/v1/conflicts/{id}/resolve',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  listUsers: {
    method: 'GET',
    path: '/v1/users',
    params: [],
    query: ['tenant', 'overdue', 'quarantined', 'paused', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'users',
  },
  readUser: {
    method: 'GET',
    path: '/v1/users/{user}',
    params: ['user'],
    query: ['tenant'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  updateUser: {
    method: 'PATCH',
    path: '/v1/users/{user}',
    params: ['user'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  setMode: {
    method: 'POST',
    path: '/v1/users/{user}/mode',
    params: ['user'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  setConflictPolicy: {
    method: 'POST',
    path: '/v1/users/{user}/conflict-policy',
    params: ['user'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  pauseUser: {
    method: 'POST',
    path: '/v1/users/{user}/pause',
    params: ['user'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  resumeUser: {
    method: 'POST',
    path: '/v1/users/{user}/resume',
    params: ['user'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  pauseTenant: {
    method: 'POST',
    path: '/v1/tenants/{tenant}/pause',
    params: ['tenant'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  resumeTenant: {
    method: 'POST',
    path: '/v1/tenants/{tenant}/resume',
    params: ['tenant'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  pauseTier: {
    method: 'POST',
    path: '/v1/tiers/{tier}/pause',
    params: ['tier'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  resumeTier: {
    method: 'POST',
    path: '/v1/tiers/{tier}/resume',
    params: ['tier'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  listQuarantine: {
    method: 'GET',
    path: '/v1/quarantine',
    params: [],
    query: ['tenant'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  releaseUser: {
    method: 'POST',
    path: '/v1/users/{user}/release',
    params: ['user'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  readTenantSettings: {
    method: 'GET',
    path: '/v1/tenants/{tenant}/settings',
    params: ['tenant'],
    query: [],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  setTenantSettings: {
    method: 'PUT',
    path: '/v1/tenants/{tenant}/settings',
    params: ['tenant'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  readEvaluation: {
    method: 'GET',
    path: '/v1/tenants/{tenant}/evaluation',
    params: ['tenant'],
    query: [],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  storeEvaluation: {
    method: 'PUT',
    path: '/v1/tenants/{tenant}/evaluation',
    params: ['tenant'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  listWorkspaces: {
    method: 'GET',
    path: '/v1/workspaces',
    params: [],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  putWorkspace: {
    method: 'PUT',
    path: '/v1/workspaces/{workspace}',
    params: ['workspace'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200, 201],
    keyed: true,
    list: null,
  },
  getWorkspace: {
    method: 'GET',
    path: '/v1/workspaces/{workspace}',
    params: ['workspace'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  removeWorkspace: {
    method: 'DELETE',
    path: '/v1/workspaces/{workspace}',
    params: ['workspace'],
    query: ['tenant', 'user', 'confirm'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  listWorkspaceRuns: {
    method: 'GET',
    path: '/v1/workspaces/{workspace}/runs',
    params: ['workspace'],
    query: ['tenant', 'user', 'limit', 'cursor', 'work'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'runs',
  },
  getWorkspaceRun: {
    method: 'GET',
    path: '/v1/workspaces/{workspace}/runs/{run}',
    params: ['workspace', 'run'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  undoWorkspaceRun: {
    method: 'POST',
    path: '/v1/workspaces/{workspace}/runs/{run}/undo',
    params: ['workspace', 'run'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  previewProjection: {
    method: 'GET',
    path: '/v1/workspaces/{workspace}/projection',
    params: ['workspace'],
    query: ['tenant', 'user'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  projectMemories: {
    method: 'POST',
    path: '/v1/workspaces/{workspace}/projection',
    params: ['workspace'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  readMemory: {
    method: 'GET',
    path: '/api/memory',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  writeMemory: {
    method: 'PUT',
    path: '/api/memory',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  readDocument: {
    method: 'GET',
    path: '/api/memory/file',
    params: [],
    query: ['tenant', 'user', 'workspace', 'path', 'startLine', 'lineCount'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  writeDocument: {
    method: 'PUT',
    path: '/api/memory/file',
    params: [],
    query: ['tenant', 'user', 'workspace', 'path'],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  appendToDocument: {
    method: 'POST',
    path: '/api/memory/file',
    params: [],
    query: ['tenant', 'user', 'workspace', 'path'],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  removeDocument: {
    method: 'DELETE',
    path: '/api/memory/file',
    params: [],
    query: ['tenant', 'user', 'workspace', 'path', 'by'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  renameDocument: {
    method: 'POST',
    path: '/api/memory/file/rename',
    params: [],
    query: ['tenant', 'user', 'workspace', 'path'],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  browseDocuments: {
    method: 'GET',
    path: '/api/memory/tree',
    params: [],
    query: ['tenant', 'user', 'workspace', 'path'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  listDocuments: {
    method: 'GET',
    path: '/api/memory/files',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  searchDocuments: {
    method: 'GET',
    path: '/api/memory/search',
    params: [],
    query: ['tenant', 'user', 'workspace', 'query', 'limit'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  describeBackend: {
    method: 'GET',
    path: '/api/memory/backend',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  readInsights: {
    method: 'GET',
    path: '/api/memory/insights',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  writeInsights: {
    method: 'PUT',
    path: '/api/memory/insights',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  extractInsights: {
    method: 'POST',
    path: '/api/memory/extract',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [202],
    keyed: true,
    list: null,
  },
  auditMemory: {
    method: 'GET',
    path: '/api/memory/audit',
    params: [],
    query: ['tenant', 'user', 'workspace'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  createToken: {
    method: 'POST',
    path: '/v1/tokens',
    params: [],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [201],
    keyed: true,
    list: null,
  },
  listTokens: {
    method: 'GET',
    path: '/v1/tokens',
    params: [],
    query: ['tenant', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'tokens',
  },
  readToken: {
    method: 'GET',
    path: '/v1/access',
    params: [],
    query: [],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/v1/tokens/{id}',
    params: ['id'],
    query: ['tenant'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    params: [],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [201],
    keyed: true,
    list: null,
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    params: [],
    query: ['tenant'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    params: ['id'],
    query: ['tenant'],
    body: 'none',
    contentType: null,
    answer: 'none',
    statuses: [204],
    keyed: true,
    list: null,
  },
  testWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    params: ['id'],
    query: ['tenant', 'limit', 'cursor'],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: 'deliveries',
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    params: ['id'],
    query: [],
    body: 'json',
    contentType: 'application/json',
    answer: 'json',
    statuses: [200],
    keyed: true,
    list: null,
  },
  getLiveness: {
    method: 'GET',
    path: '/health/live',
    params: [],
    query: [],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
  getReadiness: {
    method: 'GET',
    path: '/health/ready',
    params: [],
    query: [],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200, 503],
    keyed: false,
    list: null,
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    params: [],
    query: [],
    body: 'none',
    contentType: null,
    answer: 'text',
    statuses: [200],
    keyed: false,
    list: null,
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    params: [],
    query: [],
    body: 'none',
    contentType: null,
    answer: 'json',
    statuses: [200],
    keyed: false,
    list: null,
  },
} as const satisfies Record<string, Operation>;

/** Every operation of the service. */
export interface Operations {
  /** List the memories of a user, the newest first. */
  listMemories(input: ListMemoriesInput, options?: CallOptions): Promise<ListMemoriesAnswer>;
  /** Write one memory. */
  createMemory(input: CreateMemoryInput, options?: CallOptions): Promise<CreateMemoryAnswer>;
  /** Write up to 500 memories in one transaction. */
  createMemories(input: CreateMemoriesInput, options?: CallOptions): Promise<CreateMemoriesAnswer>;
  /** Read one memory. */
  getMemory(input: GetMemoryInput, options?: CallOptions): Promise<GetMemoryAnswer>;
  /** Give a memory other words, another category or importance, or another time in which it holds. */
  editMemory(input: EditMemoryInput, options?: CallOptions): Promise<EditMemoryAnswer>;
  /** Ask what a user’s memories have to say to a question. */
  recallMemories(input: RecallMemoriesInput, options?: CallOptions): Promise<RecallMemoriesAnswer>;
  /** Explain how the prominence of a memory came about. */
  explainMemory(input: ExplainMemoryInput, options?: CallOptions): Promise<ExplainMemoryAnswer>;
  /** Confirm a memory: it rises by three tenths of what is missing to 1, and fades more slowly. */
  confirmMemory(input: ConfirmMemoryInput, options?: CallOptions): Promise<ConfirmMemoryAnswer>;
  /** Demote a memory until it is confirmed or its prominence is set. */
  demoteMemory(input: DemoteMemoryInput, options?: CallOptions): Promise<DemoteMemoryAnswer>;
  /** Set the prominence of a memory as of now. */
  setProminence(input: SetProminenceInput, options?: CallOptions): Promise<SetProminenceAnswer>;
  /** Show what a memory was made of and what was made of it. */
  traceMemory(input: TraceMemoryInput, options?: CallOptions): Promise<TraceMemoryAnswer>;
  /** Forget a memory and all that was made of it, for good. */
  forgetMemory(input: ForgetMemoryInput, options?: CallOptions): Promise<ForgetMemoryAnswer>;
  /** Forget a conversation: all that was said in it and all that was made of it, for good. */
  forgetSession(input: ForgetSessionInput, options?: CallOptions): Promise<ForgetSessionAnswer>;
  /** Forget a user and everything about them, for good. */
  forgetUser(input: ForgetUserInput, options?: CallOptions): Promise<ForgetUserAnswer>;
  /** Import a file: JSON Lines, or one memory on each line. */
  importMemories(input: ImportMemoriesInput, options?: CallOptions): Promise<ImportMemoriesAnswer>;
  /** Export everything of a user, or of the whole tenant, as JSON Lines. */
  exportMemories(input?: ExportMemoriesInput, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  /** Ask for a run of one tier for one user, now. */
  requestConsolidation(input: RequestConsolidationInput, options?: CallOptions): Promise<RequestConsolidationAnswer>;
  /** Read how a run stands, or wait for its end. */
  readConsolidation(input: ReadConsolidationInput, options?: CallOptions): Promise<ReadConsolidationAnswer>;
  /** Ask for the end of a run. */
  cancelConsolidation(input: CancelConsolidationInput, options?: CallOptions): Promise<CancelConsolidationAnswer>;
  /** List runs of a user or of the whole tenant, newest first. */
  listRuns(input?: ListRunsInput, options?: CallOptions): Promise<ListRunsAnswer>;
  /** Read one run with its report and what it fused. */
  readRun(input: ReadRunInput, options?: CallOptions): Promise<ReadRunAnswer>;
  /** Read what a previewed run would do. */
  previewRun(input: PreviewRunInput, options?: CallOptions): Promise<PreviewRunAnswer>;
  /** Take back everything that a run changed. */
  undoRun(input: UndoRunInput, options?: CallOptions): Promise<UndoRunAnswer>;
  /** Make good again what was undone of a run. */
  redoRun(input: RedoRunInput, options?: CallOptions): Promise<RedoRunAnswer>;
  /** Read what language models cost, by day, model, step and user. */
  readUsage(input?: ReadUsageInput, options?: CallOptions): Promise<ReadUsageAnswer>;
  /** Say what the next night would ask of language models, before it does. */
  readEstimate(input?: ReadEstimateInput, options?: CallOptions): Promise<ReadEstimateAnswer>;
  /** List fusions and merges of a user or of the whole tenant, those that changed last first. */
  listFusions(input?: ListFusionsInput, options?: CallOptions): Promise<ListFusionsAnswer>;
  /** Read one fusion: its sources as they are now, what it says, and what the gate says of it. */
  readFusion(input: ReadFusionInput, options?: CallOptions): Promise<ReadFusionAnswer>;
  /** List what waits for a person, newest first. */
  listReviews(input?: ListReviewsInput, options?: CallOptions): Promise<ListReviewsAnswer>;
  /** Apply a proposal as it was shown. */
  approveFusion(input: ApproveFusionInput, options?: CallOptions): Promise<ApproveFusionAnswer>;
  /** Reject a proposal, which is then not proposed again. */
  rejectFusion(input: RejectFusionInput, options?: CallOptions): Promise<RejectFusionAnswer>;
  /** Take a fusion back. */
  undoFusion(input: UndoFusionInput, options?: CallOptions): Promise<UndoFusionAnswer>;
  /** Make a fusion good again that was undone. */
  redoFusion(input: RedoFusionInput, options?: CallOptions): Promise<RedoFusionAnswer>;
  /** List what was changed of a user’s memories, newest first. */
  listChangeSets(input: ListChangeSetsInput, options?: CallOptions): Promise<ListChangeSetsAnswer>;
  /** Read one change set, row by row. */
  readChangeSet(input: ReadChangeSetInput, options?: CallOptions): Promise<ReadChangeSetAnswer>;
  /** Take one change set back. */
  undoChangeSet(input: UndoChangeSetInput, options?: CallOptions): Promise<UndoChangeSetAnswer>;
  /** Make a change set good again that was undone. */
  redoChangeSet(input: RedoChangeSetInput, options?: CallOptions): Promise<RedoChangeSetAnswer>;
  /** List memories that disagree, of a user or of the whole tenant, newest first. */
  listConflicts(input?: ListConflictsInput, options?: CallOptions): Promise<ListConflictsAnswer>;
  /** Read one conflict. */
  readConflict(input: ReadConflictInput, options?: CallOptions): Promise<ReadConflictAnswer>;
  /** Settle a conflict: one of the two holds, or both do. */
  resolveConflict(input: ResolveConflictInput, options?: CallOptions): Promise<ResolveConflictAnswer>;
  /** List users by their ids, with settings and tiers. */
  listUsers(input?: ListUsersInput, options?: CallOptions): Promise<ListUsersAnswer>;
  /** Read one user: settings, tiers, and memories by band. */
  readUser(input: ReadUserInput, options?: CallOptions): Promise<ReadUserAnswer>;
  /** Change a user’s settings. */
  updateUser(input: UpdateUserInput, options?: CallOptions): Promise<UpdateUserAnswer>;
  /** Choose how a user’s fusions are applied. */
  setMode(input: SetModeInput, options?: CallOptions): Promise<SetModeAnswer>;
  /** Choose how a user’s contradictions are settled from the next night on. */
  setConflictPolicy(input: SetConflictPolicyInput, options?: CallOptions): Promise<SetConflictPolicyAnswer>;
  /** Pause tiers of a user; what somebody asks for runs all the same. */
  pauseUser(input: PauseUserInput, options?: CallOptions): Promise<PauseUserAnswer>;
  /** End the pause of a user’s tiers. */
  resumeUser(input: ResumeUserInput, options?: CallOptions): Promise<ResumeUserAnswer>;
  /** Pause tiers of all users of a tenant, those to come included. */
  pauseTenant(input: PauseTenantInput, options?: CallOptions): Promise<PauseTenantAnswer>;
  /** End the pause of a tenant’s tiers; users who are paused themselves stay so. */
  resumeTenant(input: ResumeTenantInput, options?: CallOptions): Promise<ResumeTenantAnswer>;
  /** Pause a tier for everybody. */
  pauseTier(input: PauseTierInput, options?: CallOptions): Promise<PauseTierAnswer>;
  /** End the pause of a tier. */
  resumeTier(input: ResumeTierInput, options?: CallOptions): Promise<ResumeTierAnswer>;
  /** List users for whom nothing runs since their runs failed again and again, the latest 1,000. */
  listQuarantine(input?: ListQuarantineInput, options?: CallOptions): Promise<ListQuarantineAnswer>;
  /** Let a user out of quarantine. */
  releaseUser(input: ReleaseUserInput, options?: CallOptions): Promise<ReleaseUserAnswer>;
  /** Read what a tenant allows. */
  readTenantSettings(input: ReadTenantSettingsInput, options?: CallOptions): Promise<ReadTenantSettingsAnswer>;
  /** Say what a tenant allows; what waits to be sent is not sent any more. */
  setTenantSettings(input: SetTenantSettingsInput, options?: CallOptions): Promise<SetTenantSettingsAnswer>;
  /** Read the last evaluation of a tenant. */
  readEvaluation(input: ReadEvaluationInput, options?: CallOptions): Promise<ReadEvaluationAnswer>;
  /** Store an evaluation, in place of the one before. */
  storeEvaluation(input: StoreEvaluationInput, options?: CallOptions): Promise<StoreEvaluationAnswer>;
  /** List the workspaces of a user. */
  listWorkspaces(input: ListWorkspacesInput, options?: CallOptions): Promise<ListWorkspacesAnswer>;
  /** Make a workspace, or change what is given of one. */
  putWorkspace(input: PutWorkspaceInput, options?: CallOptions): Promise<PutWorkspaceAnswer>;
  /** Show a workspace. */
  getWorkspace(input: GetWorkspaceInput, options?: CallOptions): Promise<GetWorkspaceAnswer>;
  /** Remove a workspace. */
  removeWorkspace(input: RemoveWorkspaceInput, options?: CallOptions): Promise<RemoveWorkspaceAnswer>;
  /** List what was done to a workspace, the latest first. */
  listWorkspaceRuns(input: ListWorkspaceRunsInput, options?: CallOptions): Promise<ListWorkspaceRunsAnswer>;
  /** Show what was done to a workspace once. */
  getWorkspaceRun(input: GetWorkspaceRunInput, options?: CallOptions): Promise<GetWorkspaceRunAnswer>;
  /** Put documents back as they stood before a run. */
  undoWorkspaceRun(input: UndoWorkspaceRunInput, options?: CallOptions): Promise<UndoWorkspaceRunAnswer>;
  /** Show what would be written of the memories into the documents of a workspace. */
  previewProjection(input: PreviewProjectionInput, options?: CallOptions): Promise<PreviewProjectionAnswer>;
  /** Bring MEMORY.md of a workspace up to date with the memories, now. */
  projectMemories(input: ProjectMemoriesInput, options?: CallOptions): Promise<ProjectMemoriesAnswer>;
  /** Read the long-term memory of a workspace. */
  readMemory(input: ReadMemoryInput, options?: CallOptions): Promise<ReadMemoryAnswer>;
  /** Replace the long-term memory of a workspace. */
  writeMemory(input: WriteMemoryInput, options?: CallOptions): Promise<WriteMemoryAnswer>;
  /** Read one document of a workspace, whole or some of its lines. */
  readDocument(input: ReadDocumentInput, options?: CallOptions): Promise<ReadDocumentAnswer>;
  /** Replace one document of a workspace. */
  writeDocument(input: WriteDocumentInput, options?: CallOptions): Promise<WriteDocumentAnswer>;
  /** Add something to the end of a document of a workspace. */
  appendToDocument(input: AppendToDocumentInput, options?: CallOptions): Promise<AppendToDocumentAnswer>;
  /** Remove a file of a workspace, or a folder with everything in it. */
  removeDocument(input: RemoveDocumentInput, options?: CallOptions): Promise<RemoveDocumentAnswer>;
  /** Give a file or a folder of a workspace another path. */
  renameDocument(input: RenameDocumentInput, options?: CallOptions): Promise<RenameDocumentAnswer>;
  /** Show what stands at a path of a workspace, and up to two levels below it. */
  browseDocuments(input: BrowseDocumentsInput, options?: CallOptions): Promise<BrowseDocumentsAnswer>;
  /** List the documents of a workspace. */
  listDocuments(input: ListDocumentsInput, options?: CallOptions): Promise<ListDocumentsAnswer>;
  /** Search the documents of a workspace. */
  searchDocuments(input: SearchDocumentsInput, options?: CallOptions): Promise<SearchDocumentsAnswer>;
  /** Say which backend a workspace has, and what it can do. */
  describeBackend(input: DescribeBackendInput, options?: CallOptions): Promise<DescribeBackendAnswer>;
  /** Read the insights of a workspace. */
  readInsights(input: ReadInsightsInput, options?: CallOptions): Promise<ReadInsightsAnswer>;
  /** Replace the insights of a workspace. */
  writeInsights(input: WriteInsightsInput, options?: CallOptions): Promise<WriteInsightsAnswer>;
  /** Ask for insights to be drawn from the memory of a workspace. */
  extractInsights(input: ExtractInsightsInput, options?: CallOptions): Promise<ExtractInsightsAnswer>;
  /** Look over the memory of a workspace and its insights. */
  auditMemory(input: AuditMemoryInput, options?: CallOptions): Promise<AuditMemoryAnswer>;
  /** Make a token for callers of one tenant. */
  createToken(input: CreateTokenInput, options?: CallOptions): Promise<CreateTokenAnswer>;
  /** List the tokens of a tenant, the newest first. */
  listTokens(input?: ListTokensInput, options?: CallOptions): Promise<ListTokensAnswer>;
  /** Read what the token of this request may do. */
  readToken(options?: CallOptions): Promise<ReadTokenAnswer>;
  /** Revoke a token, at once and for good. */
  revokeToken(input: RevokeTokenInput, options?: CallOptions): Promise<RevokeTokenAnswer>;
  /** Have events sent to an address. */
  createWebhook(input: CreateWebhookInput, options?: CallOptions): Promise<CreateWebhookAnswer>;
  /** List the webhooks of a tenant, the oldest first. */
  listWebhooks(input?: ListWebhooksInput, options?: CallOptions): Promise<ListWebhooksAnswer>;
  /** Change the address, the events or whether it is active. */
  updateWebhook(input: UpdateWebhookInput, options?: CallOptions): Promise<UpdateWebhookAnswer>;
  /** Remove a webhook and everything that is on its way to it. */
  removeWebhook(input: RemoveWebhookInput, options?: CallOptions): Promise<void>;
  /** Send one message of type webhook.test now and say what became of it. */
  testWebhook(input: TestWebhookInput, options?: CallOptions): Promise<TestWebhookAnswer>;
  /** List what became of the events for a webhook, the newest first. */
  listWebhookDeliveries(input: ListWebhookDeliveriesInput, options?: CallOptions): Promise<ListWebhookDeliveriesAnswer>;
  /** Sign with a new secret from the next message on. */
  rotateWebhookSecret(input: RotateWebhookSecretInput, options?: CallOptions): Promise<RotateWebhookSecretAnswer>;
  /** Say that the process lives. */
  getLiveness(options?: CallOptions): Promise<GetLivenessAnswer>;
  /** Say whether the service can do its work. */
  getReadiness(options?: CallOptions): Promise<GetReadinessAnswer>;
  /** Read the metrics, in the text format of Prometheus. */
  getMetrics(options?: CallOptions): Promise<string>;
  /** Read this document. */
  getOpenApi(options?: CallOptions): Promise<GetOpenApiAnswer>;
}

/** The items of lists, page after page. */
export interface Lists {
  /** List the memories of a user, the newest first. */
  listMemories(input: Omit<ListMemoriesInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListMemoriesAnswer['memories'][number]>;
  /** List runs of a user or of the whole tenant, newest first. */
  listRuns(input?: Omit<ListRunsInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListRunsAnswer['runs'][number]>;
  /** Say what the next night would ask of language models, before it does. */
  readEstimate(input?: Omit<ReadEstimateInput, 'cursor'>, options?: CallOptions): AsyncIterable<ReadEstimateAnswer['users'][number]>;
  /** List fusions and merges of a user or of the whole tenant, those that changed last first. */
  listFusions(input?: Omit<ListFusionsInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListFusionsAnswer['fusions'][number]>;
  /** List what waits for a person, newest first. */
  listReviews(input?: Omit<ListReviewsInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListReviewsAnswer['reviews'][number]>;
  /** List what was changed of a user’s memories, newest first. */
  listChangeSets(input: Omit<ListChangeSetsInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListChangeSetsAnswer['changeSets'][number]>;
  /** List memories that disagree, of a user or of the whole tenant, newest first. */
  listConflicts(input?: Omit<ListConflictsInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListConflictsAnswer['conflicts'][number]>;
  /** List users by their ids, with settings and tiers. */
  listUsers(input?: Omit<ListUsersInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListUsersAnswer['users'][number]>;
  /** List what was done to a workspace, the latest first. */
  listWorkspaceRuns(input: Omit<ListWorkspaceRunsInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListWorkspaceRunsAnswer['runs'][number]>;
  /** List the tokens of a tenant, the newest first. */
  listTokens(input?: Omit<ListTokensInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListTokensAnswer['tokens'][number]>;
  /** List what became of the events for a webhook, the newest first. */
  listWebhookDeliveries(input: Omit<ListWebhookDeliveriesInput, 'cursor'>, options?: CallOptions): AsyncIterable<ListWebhookDeliveriesAnswer['deliveries'][number]>;
}
