"""Settings of Orca for the transcripts: brief wording, and nothing that depends on time or on typed characters."""

from orca import settings

settings.speechServerFactory = "transcript"
settings.speechFactoryModules = ["transcript"]
settings.speechVerbosityLevel = settings.VERBOSITY_LEVEL_BRIEF
settings.enableKeyEcho = False
settings.enableEchoByCharacter = False
settings.enableEchoByWord = False
settings.enableEchoBySentence = False
settings.enableBraille = False
settings.enableSound = False
settings.enableTutorialMessages = False
settings.enableMouseReview = False
settings.speakProgressBarUpdates = False
settings.beepProgressBarUpdates = False
settings.presentToolTips = False
settings.sayAllOnLoad = False
settings.pageSummaryOnLoad = False
