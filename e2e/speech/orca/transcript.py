"""A speech server for Orca that appends each utterance to a file, as one line of JSON."""

import json
import os

from orca import speechserver


class SpeechServer(speechserver.SpeechServer):
    """Writes utterances to the file named by the environment variable TRANSCRIPT."""

    _only = None

    @staticmethod
    def getFactoryName():
        return "Transcript"

    @staticmethod
    def getSpeechServers():
        return [SpeechServer.getSpeechServer()]

    @staticmethod
    def getSpeechServer(info=None):
        if SpeechServer._only is None:
            SpeechServer._only = SpeechServer()
        return SpeechServer._only

    @staticmethod
    def shutdownActiveServers():
        SpeechServer._only = None

    def getInfo(self):
        return ["Transcript", "default"]

    def getVoiceFamilies(self):
        return []

    def speak(self, text=None, acss=None, interrupt=True):
        if text:
            with open(os.environ["TRANSCRIPT"], "a", encoding="utf-8") as file:
                file.write(json.dumps(text) + "\n")

    def speakCharacter(self, character, acss=None):
        self.speak(character)

    def speakKeyEvent(self, event, acss=None):
        """Ignores keys, which are echoed only on request."""

    def sayAll(self, utteranceIterator, progressCallback):
        for context, _ in utteranceIterator:
            self.speak(context.utterance)
