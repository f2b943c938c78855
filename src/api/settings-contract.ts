import { z } from '@hono/zod-openapi';

const ProviderName = z.enum(['openai-compatible', 'anthropic']);
const SendRules = z.object({
  perRun: z.number().int().min(0).max(1_000),
  perAccountHour: z.number().int().min(0).max(10_000),
  strict: z
    .boolean()
    .openapi({ description: 'A run that has read something else asks before it answers the mail that started it.' }),
});
const DeleteRules = SendRules.pick({ perRun: true, perAccountHour: true });
const Recipient = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^(?:\*|[^\s@<>"*,;]+)@[^\s@<>"*,;]+\.[^\s@<>"*,;.]+$/, 'must be an address, or *@ with a domain');
export const Settings = z
  .object({
    allowedReturnOrigins: z
      .array(z.string())
      .openapi({ description: 'Where a returnUrl may lead besides our own pages.' }),
    retention: z.object({ historyDays: z.number(), auditDays: z.number(), fileDays: z.number() }),
    sends: SendRules.openapi({ description: 'How far agents may send without asking.' }),
    deletes: DeleteRules.openapi({ description: 'How much agents may remove without asking.' }),
    allowedRecipients: z
      .record(z.string(), z.array(z.string()))
      .openapi({ description: 'By account: to whom agents may write from it without asking.' }),
    model: z
      .object({ provider: ProviderName, baseUrl: z.string(), model: z.string(), hasKey: z.boolean() })
      .nullable()
      .openapi({ description: "Whom agents' models are asked of, instead of whom the operator chose." }),
    approverNotices: z.object({
      mail: z.boolean().openapi({ description: 'Whether those who may decide are told by mail.' }),
      mailServer: z.boolean().openapi({ description: 'Whether a mail server is set; without one no mail leaves.' }),
    }),
  })
  .openapi('Settings');
const Origin = z
  .url({ protocol: /^https?$/ })
  .max(300)
  .refine((text) => URL.parse(text)?.origin === text, 'must be an origin such as https://app.example.com');
export const SettingsChange = z.strictObject({
  approverNotices: z.strictObject({ mail: z.boolean() }).optional(),
  allowedReturnOrigins: z.array(Origin).max(50).optional(),
  retention: z
    .strictObject({
      historyDays: z.number().int().min(1).max(3_650).optional(),
      auditDays: z.number().int().min(30).max(3_650).optional(),
      fileDays: z.number().int().min(1).max(90).optional(),
    })
    .optional(),
  sends: z.strictObject(SendRules.partial().shape).optional(),
  deletes: z.strictObject(DeleteRules.partial().shape).optional(),
  allowedRecipients: z
    .record(z.string().max(100), z.array(Recipient).max(500))
    .optional()
    .openapi({ description: 'Accounts that are not named keep theirs.' }),
  model: z
    .strictObject({
      provider: ProviderName,
      baseUrl: z.url().max(500),
      model: z.string().trim().min(1).max(200),
      apiKey: z
        .string()
        .min(1)
        .max(1_000)
        .nullable()
        .optional()
        .openapi({ description: 'Never read back. Left out, the present one stays if it goes to the same address.' }),
    })
    .nullable()
    .optional(),
});
