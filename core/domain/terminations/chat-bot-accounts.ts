/** Whom the chat bot talks to as one of the firm: a user who is terminated stays there, inactive. */
import type { ChatBot } from '../../integrations/chat-bot/client.ts';
import type { SystemAccounts } from './accounts.ts';

export function chatBotAccounts(chatBot: ChatBot): SystemAccounts {
  return {
    title: 'the chat-bot database',
    findByCrmId: crmId => chatBot.findUsers({ crmId }),
    findByEmail: email => chatBot.findUsers({ email }),
    async read(id) {
      const user = await chatBot.user(id);
      return { state: user ? { active: user.active } : null, isCutOff: !user?.active };
    },
    async cutOff(id) {
      await chatBot.deactivateUser(id);
    },
  };
}
