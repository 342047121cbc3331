"""How an agent comes by its token: it is given one, or it joins the cluster once and keeps what it gets."""

import logging

from ringscope.contracts.protocol import Registration
from ringscope_agent.client import ServerClient, TokenRefusedError
from ringscope_agent.files import replace_text
from ringscope_agent.settings import AgentSettings, SettingsError

logger = logging.getLogger(__name__)


async def obtain_token(settings: AgentSettings, registration: Registration) -> str:
    """The bearer token. Raises SettingsError when there is none to be had, or RejectedError."""
    is_given = settings.token is not None or settings.token_file is not None
    if settings.join_token is None or is_given or settings.token_path.exists():
        return settings.read_token()
    join_token = settings.join_token.get_secret_value().strip()
    client = ServerClient(settings.server, join_token, registration)
    try:
        token = await client.join()
    except TokenRefusedError:
        raise SettingsError(
            "join_token: the server refused it; it may be mistyped, expired or revoked: make a new one there."
        ) from None
    finally:
        await client.close()
    try:
        replace_text(settings.token_path, token + "\n")
    except OSError as error:
        raise SettingsError(
            f"data_dir: {settings.token_path} cannot be written ({error.strerror}); make room or choose another with "
            "--data-dir, and take a new join token if this one was for one node."
        ) from None
    logger.info("Joined the cluster as %s; the token of this node is in %s.", settings.name, settings.token_path)
    return token
